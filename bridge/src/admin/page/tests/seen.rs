//! In Chromium: on a phone and on a desk, light and dark, in both languages, with scripts and without.

use serde_json::json;

use super::super::*;
use super::specimens::{bridge, letters, unreachable, waiting, well};
use super::{problem_page, route_page, settings_page};
use crate::admin::guard::POLICY;
use crate::admin::overview::{Handled, TakenOver};

#[path = "../../../../tests/common/browser.rs"]
mod browser;
use browser::Browser;

const HOST: &str = "http://bridge.test";

/// But for one route, which could not be started.
fn reloaded() -> Notice {
    Ok(Done::Reloaded(TakenOver {
        restarted: 1,
        untouched: 2,
        not_started: vec!["route orders: the port 8080 is taken".to_owned()],
        ..TakenOver::default()
    }))
}

/// With every page as it is for specimens.
fn browser(language: Language) -> Browser {
    let mut browser = Browser::start();
    browser.policy = POLICY;
    let notice = Ok(Done::DeadLetters(Handled {
        delivered: 2,
        failed: 1,
        stopped: Some("another replay of the route runs".to_owned()),
        ..Handled::default()
    }));
    let failing = unreachable();
    let html = "text/html; charset=utf-8";
    let failing = route_page(
        &failing,
        Ok(&letters()),
        Ok(&waiting()),
        language,
        true,
        Some(&notice),
    );
    let alone = route_page(
        &well("orders"),
        Err("the topic cannot be read"),
        Err("the route does not answer"),
        language,
        false,
        None,
    );
    browser.pages = vec![
        ("/page.css", "text/css", STYLE.to_owned()),
        ("/page.js", "text/javascript", SCRIPT.to_owned()),
        (
            "/",
            html,
            overview(
                &bridge(),
                &BTreeMap::from([
                    ("halted".to_owned(), Ok(Done::Paused)),
                    (
                        String::new(),
                        Err("the settings have faults\nbridge.toml:3: route[0].url".to_owned()),
                    ),
                ]),
                language,
            )
            .0,
        ),
        ("/routes/unreachable", html, failing),
        ("/routes/orders", html, alone),
        (
            "/settings",
            html,
            settings_page(
                &"[route]\nurl = \"https://long.example\"\n".repeat(30),
                language,
                true,
                Some(&reloaded()),
            ),
        ),
        (
            "/nowhere",
            html,
            problem_page(404, "there is nothing here", language),
        ),
    ];
    browser
}

/// Wider than the window, too little contrast, too small to hit, a level of headings left out.
const FAULTS: &str = r#"(() => {
  const faults = [], width = document.documentElement.clientWidth;
  if (document.scrollingElement.scrollWidth > width) faults.push("the page is wider than the window");
  const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = (colour) => {
    const [red, green, blue] = parse(colour).map((part) => part / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const paper = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((parse(colour)[3] ?? 1) > 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  let level = 0;
  for (const element of document.querySelectorAll("body *")) {
    const box = element.getBoundingClientRect(), style = getComputedStyle(element), told = element.outerHTML.slice(0, 90);
    if (box.width === 0 || style.position === "absolute") continue;
    if (box.right > width + 0.5 || box.left < 0) faults.push(`beyond the window: ${told}`);
    if ([...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) {
      const found = contrast(style.color, paper(element));
      if (found < 4.5) faults.push(`contrast ${found.toFixed(2)}: ${told}`);
    }
    if (element.matches("button, input") && (box.width < 24 || box.height < 24)) faults.push(`small: ${told}`);
    if (element.matches("svg") && contrast(style.fill, paper(element)) < 3) faults.push(`pale: ${told}`);
    if (element.matches("h1, h2, h3")) {
      const next = Number(element.tagName[1]);
      if (next > level + 1) faults.push(`a level is left out: ${told}`);
      level = next;
    }
  }
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  if (new Set(ids).size !== ids.length) faults.push("an id is there twice");
  return faults;
})()"#;

#[test]
fn everything_fits_and_can_be_read() {
    for language in [Language::Dutch, Language::English] {
        let mut browser = browser(language);
        let paths: Vec<_> = browser
            .pages
            .iter()
            .map(|(path, ..)| *path)
            .skip(2)
            .collect();
        for (width, height) in [(320, 640), (390, 844), (1_280, 900)] {
            browser.resize(width, height);
            for scheme in ["light", "dark"] {
                browser.prefer(scheme);
                for path in &paths {
                    browser.open(&format!("{HOST}{path}"));
                    let faults = browser.evaluate(FAULTS);
                    assert_eq!(faults, json!([]), "{path} {width} {scheme} {language:?}");
                    show(&mut browser, path, width, scheme, language);
                }
            }
        }
    }
}

/// For people who want to look: `CENL_TEST_PICTURES` names a folder.
fn show(browser: &mut Browser, path: &str, width: u32, scheme: &str, language: Language) {
    if let Ok(folder) = std::env::var("CENL_TEST_PICTURES") {
        let path = path.replace('/', "-");
        let file = format!("{folder}/{}{path}-{width}-{scheme}.png", language.code());
        std::fs::write(file, browser.picture()).unwrap();
    }
}

/// Roles and names in order, without what stands in them.
fn outline(browser: &mut Browser, roles: &[&str]) -> Vec<String> {
    let elements = browser.elements().into_iter();
    let elements = elements.filter(|element| roles.contains(&&*element.role));
    let told = elements.map(|element| format!("{} {}", element.role, element.name));
    told.map(|element| element.trim_end().to_owned()).collect()
}

#[test]
fn assistive_technology_is_told_everything_in_order() {
    let mut browser = browser(Language::English);
    browser.open(HOST);
    let roles = [
        "banner",
        "navigation",
        "main",
        "contentinfo",
        "alert",
        "heading",
        "button",
        "image",
        "table",
        "checkbox",
    ];
    insta::assert_snapshot!(outline(&mut browser, &roles).join("\n"), @r"
    banner
    navigation cenl-bridge
    checkbox Refresh by itself
    alert
    main
    heading 5 of 7 routes need attention
    heading Needs attention
    heading gone
    image nothing delivered
    heading refused
    button Retry now refused
    button Pause refused
    image at most 889 per minute, 753 in the last one
    heading unreachable
    button Retry now unreachable
    button Pause unreachable
    image at most 90 per minute, 0 in the last one
    heading joining
    button Pause joining
    image at most 889 per minute, 753 in the last one
    heading halted
    button Resume halted
    image at most 889 per minute, 753 in the last one
    heading Runs
    heading orders
    button Pause orders
    image at most 889 per minute, 753 in the last one
    heading invoices
    button Pause invoices
    image nothing delivered
    heading Refused at the ingress
    table The newest requests of senders that were refused
    ");
    // Where tables are shown as lists, they are tables still.
    browser.resize(390, 844);
    browser.open(&format!("{HOST}/routes/unreachable"));
    insta::assert_snapshot!(outline(&mut browser, &roles).join("\n"), @r"
    banner
    navigation cenl-bridge
    checkbox Refresh by itself
    alert
    main
    heading unreachable
    button Retry now unreachable
    button Pause unreachable
    image at most 90 per minute, 0 in the last one
    heading Waiting events
    table Events that were read and are not delivered yet
    heading Dead letters
    table The newest dead letters of unreachable
    checkbox 7f3c1a52-9d1e-4c9b-8f5c-0b7b1f2d3e43
    checkbox kafka:zaken-onbestelbaar/0/2
    checkbox Tick all
    button Replay the ticked
    button Dismiss the ticked
    ");
    browser.open(&format!("{HOST}/settings"));
    insta::assert_snapshot!(outline(&mut browser, &roles).join("\n"), @r"
    banner
    navigation cenl-bridge
    alert
    main
    heading Settings in effect
    button Reload settings
    ");
}

#[test]
fn a_keyboard_reaches_everything_and_shows_where_it_is() {
    let mut browser = browser(Language::Dutch);
    browser.open(&format!("{HOST}/routes/unreachable"));
    let reachable =
        browser.evaluate("document.querySelectorAll('a, button, input:not([hidden])').length");
    let mut seen = Vec::new();
    for _ in 0..reachable.as_u64().unwrap() {
        browser.press("Tab", 9);
        let focused = "document.activeElement.textContent + document.activeElement.id + '|' + \
                       getComputedStyle(document.activeElement).outlineStyle";
        let focused = browser.evaluate(focused).as_str().unwrap().to_owned();
        assert!(focused.ends_with("|solid"), "no focus is seen on {focused}");
        seen.push(focused);
    }
    seen.sort();
    seen.dedup();
    assert_eq!(json!(seen.len()), reachable, "{seen:#?}");
}

#[test]
fn the_page_renews_what_changed_and_leaves_the_rest() {
    let mut browser = browser(Language::English);
    browser.open(&format!("{HOST}/routes/unreachable"));
    browser.evaluate("document.querySelector('#replay').focus(); document.querySelector('main input').checked = true; 0");
    let mut changed = unreachable();
    changed.delivered = 2_000_000;
    let mut letters = letters();
    letters.pop();
    let html = route_page(
        &changed,
        Ok(&letters),
        Ok(&waiting()),
        Language::English,
        true,
        None,
    );
    browser.pages[3].2 = html;
    until(
        &mut browser,
        "document.querySelector('main').textContent.includes('2,000,000')",
    );
    // The notice of the last order is gone, as it is on the server.
    let status = "document.querySelector('header [role=status]').textContent.trim()";
    assert_eq!(browser.evaluate(status), "");
    let kept = "[document.activeElement.id, document.querySelectorAll('main :checked').length, \
                document.querySelectorAll('table input').length, document.querySelector('#stale').textContent, \
                document.querySelector('header [role=status]').textContent.trim()]";
    assert_eq!(browser.evaluate(kept), json!(["replay", 1, 2, "", ""]));

    browser.pages.remove(3);
    until(
        &mut browser,
        "document.querySelector('#stale').textContent.includes('is old')",
    );
}

#[test]
fn what_vanishes_and_comes_is_renewed() {
    let mut browser = browser(Language::English);
    browser.open(HOST);
    let mut healed = bridge();
    healed.routes = vec![well("orders"), well("unreachable")];
    healed.settings_fault = None;
    browser.pages[2].2 = overview(&healed, &BTreeMap::new(), Language::English).0;
    until(
        &mut browser,
        "document.title.startsWith('All 2 routes run')",
    );
    let roles = ["heading", "button"];
    insta::assert_snapshot!(outline(&mut browser, &roles).join("\n"), @r"
    heading All 2 routes run
    heading Runs
    heading orders
    button Pause orders
    heading unreachable
    button Pause unreachable
    heading Refused at the ingress
    ");
}

#[test]
fn without_scripts_everything_is_there_but_the_refreshing() {
    let mut browser = browser(Language::Dutch);
    browser.disable_scripts(true);
    browser.open(HOST);
    let roles = ["heading", "button", "checkbox"];
    let outline = outline(&mut browser, &roles);
    assert!(
        outline.contains(&"heading 5 van 7 routes vragen aandacht".to_owned()),
        "{outline:#?}"
    );
    assert!(
        outline.contains(&"button Pauzeren orders".to_owned()),
        "{outline:#?}"
    );
    assert!(
        !outline
            .iter()
            .any(|element| element.starts_with("checkbox")),
        "{outline:#?}"
    );
    browser.follow("link", "unreachable");
    let titled = browser.evaluate("document.title");
    assert_eq!(titled, "unreachable: circuit open – cenl-bridge");
}

/// Until the page says yes.
fn until(browser: &mut Browser, condition: &str) {
    let waited = format!(
        "new Promise((done) => {{
           const end = Date.now() + 30_000;
           const look = () => ({condition}) || Date.now() > end ? done({condition}) : setTimeout(look, 50);
           look();
         }})"
    );
    assert_eq!(browser.evaluate(&waited), true, "{condition}");
}
