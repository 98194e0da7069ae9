//! Chromium without a window, asked over its debugging pipe: JSON texts of the DevTools protocol, each ended by NUL.
//! A browser that is missing is a failure.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Duration;

use base64_simd::STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;

/// For a busy machine.
const SOON: Duration = Duration::from_secs(60);

/// What assistive technology is told of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) role: String,
    pub(crate) name: String,
    node: i64,
}

/// Path, type and body of what a test serves itself; with headers of the server that it stands for.
pub(crate) type Page = (&'static str, &'static str, String);

/// It is killed when dropped.
#[derive(Debug)]
pub(crate) struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    calls: u64,
    session: Option<String>,
    events: VecDeque<String>,
    /// Answered by the test, for pages that no server makes.
    pub(crate) pages: Vec<Page>,
    pub(crate) policy: &'static str,
    /// User and password for whoever asks.
    pub(crate) credentials: Option<(&'static str, String)>,
    /// The realms that asked.
    pub(crate) challenges: Vec<String>,
    _profile: TempDir,
}

impl Browser {
    pub(crate) fn start() -> Self {
        let profile = TempDir::new().unwrap();
        // The pipe is file descriptors 3 and 4.
        let mut child = Command::new("sh")
            .args([
                "-c",
                "exec chromium \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1",
                "-",
            ])
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
            ])
            .args([
                "--remote-debugging-pipe",
                "--no-first-run",
                "--disable-sync",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let mut texts = BufReader::new(child.stdout.take().unwrap());
        let (sender, from) = sync_channel(1_000);
        thread::spawn(move || {
            let mut text = Vec::new();
            while texts
                .read_until(0, &mut text)
                .is_ok_and(|length| length > 0)
            {
                let Ok(text_read) = serde_json::from_slice(&text[..text.len() - 1]) else {
                    return;
                };
                if sender.send(text_read).is_err() {
                    return;
                }
                text.clear();
            }
        });
        let mut browser = Self {
            child,
            to,
            from,
            calls: 0,
            session: None,
            events: VecDeque::new(),
            pages: Vec::new(),
            policy: "",
            credentials: None,
            challenges: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let target = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", target);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "DOM", "Accessibility"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.call("Fetch.enable", json!({"handleAuthRequests": true}));
        browser
    }

    /// Opens an address and waits until it is loaded.
    pub(crate) fn open(&mut self, url: &str) {
        self.events.clear();
        let opened = self.call("Page.navigate", json!({ "url": url }));
        assert_eq!(opened["errorText"], Value::Null, "{url}");
        self.loaded();
    }

    /// Waits until the page that comes next is loaded.
    fn loaded(&mut self) {
        while !self
            .events
            .iter()
            .any(|event| event == "Page.loadEventFired")
        {
            self.receive();
        }
    }

    /// As on a screen so wide.
    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// `light` or `dark`.
    pub(crate) fn prefer(&mut self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
    }

    /// Of the page; what a test evaluates runs all the same.
    pub(crate) fn disable_scripts(&mut self, disabled: bool) {
        self.call(
            "Emulation.setScriptExecutionDisabled",
            json!({ "value": disabled }),
        );
    }

    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let told = self.call("Runtime.evaluate", asked);
        assert_eq!(told["exceptionDetails"], Value::Null, "{expression}");
        told["result"]["value"].clone()
    }

    /// What assistive technology is told of the page, in order.
    pub(crate) fn elements(&mut self) -> Vec<Element> {
        let tree = self.call("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().unwrap();
        let mut found = Vec::new();
        descend(nodes, &nodes[0], &mut found);
        found
    }

    /// Clicks in the middle of the one element of this role and name.
    pub(crate) fn click(&mut self, role: &str, name: &str) {
        let elements = self.elements();
        let found = elements
            .iter()
            .filter(|it| it.role == role && it.name == name);
        let found: Vec<_> = found.collect();
        let [element] = *found else {
            panic!("{} of {role} {name:?} in {elements:#?}", found.len());
        };
        let node = json!({ "backendNodeId": element.node });
        self.call("DOM.scrollIntoViewIfNeeded", node.clone());
        let quads = self.call("DOM.getContentQuads", node);
        let corner = |at: usize| quads["quads"][0][at].as_f64().unwrap();
        let (x, y) = ((corner(0) + corner(4)) / 2.0, (corner(1) + corner(5)) / 2.0);
        self.events.clear();
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Clicks on what leads to another page, and waits until it is loaded.
    pub(crate) fn follow(&mut self, role: &str, name: &str) {
        self.click(role, name);
        self.loaded();
    }

    /// Presses a key, such as `Tab`.
    pub(crate) fn press(&mut self, key: &str, code: u32) {
        for kind in ["keyDown", "keyUp"] {
            let event = json!({"type": kind, "key": key, "windowsVirtualKeyCode": code});
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// The whole page as PNG.
    pub(crate) fn picture(&mut self) -> Vec<u8> {
        let whole = json!({"captureBeyondViewport": true});
        let picture = self.call("Page.captureScreenshot", whole);
        let picture = picture["data"].as_str().unwrap();
        STANDARD.decode_to_vec(picture).unwrap()
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        loop {
            let mut answer = self.receive();
            if answer["id"] == id {
                assert_eq!(answer["error"], Value::Null, "{method}");
                return answer["result"].take();
            }
        }
    }

    fn send(&mut self, method: &str, params: Value) -> u64 {
        self.calls += 1;
        let mut call = json!({"id": self.calls, "method": method, "params": params});
        if let Some(session) = &self.session {
            call["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{call}\0").as_bytes()).unwrap();
        self.calls
    }

    /// What comes next; requests of the page go on at once.
    fn receive(&mut self) -> Value {
        let came = self.from.recv_timeout(SOON);
        let came = came
            .expect("chromium is missing, or ended: apt-get install chromium fonts-dejavu-core");
        if let Some(event) = came["method"].as_str() {
            let params = &came["params"];
            let request = params["requestId"].clone();
            match event {
                "Fetch.requestPaused" => {
                    self.answer(&request, params["request"]["url"].as_str().unwrap())
                }
                "Fetch.authRequired" => {
                    let realm = params["authChallenge"]["realm"]
                        .as_str()
                        .unwrap()
                        .to_owned();
                    self.challenges.push(realm);
                    let response = match &self.credentials {
                        Some((user, password)) => {
                            json!({"response": "ProvideCredentials", "username": user, "password": password})
                        }
                        None => json!({"response": "CancelAuth"}),
                    };
                    let params = json!({"requestId": request, "authChallengeResponse": response});
                    self.send("Fetch.continueWithAuth", params);
                }
                _ => self.events.push_back(event.to_owned()),
            }
        }
        came
    }

    fn answer(&mut self, request: &Value, url: &str) {
        let path = url.splitn(4, '/').nth(3).unwrap_or_default();
        let path = path.split('?').next().unwrap();
        let page = self
            .pages
            .iter()
            .find(|(at, ..)| at.trim_start_matches('/') == path);
        let Some((_, format, body)) = page else {
            self.send("Fetch.continueRequest", json!({ "requestId": request }));
            return;
        };
        let headers = json!([
            {"name": "Content-Type", "value": format},
            {"name": "Content-Security-Policy", "value": self.policy},
        ]);
        let body = STANDARD.encode_to_string(body);
        let answer = json!({"requestId": request, "responseCode": 200, "responseHeaders": headers, "body": body});
        self.send("Fetch.fulfillRequest", answer);
    }
}

fn descend(nodes: &[Value], node: &Value, found: &mut Vec<Element>) {
    let word = |key: &str| node[key]["value"].as_str().unwrap_or_default().to_owned();
    if node["ignored"] == false {
        found.push(Element {
            role: word("role"),
            name: word("name"),
            node: node["backendDOMNodeId"].as_i64().unwrap_or_default(),
        });
    }
    for id in node["childIds"].as_array().into_iter().flatten() {
        if let Some(child) = nodes.iter().find(|node| node["nodeId"] == *id) {
            descend(nodes, child, found);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
