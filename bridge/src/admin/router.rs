//! What is asked, and what is answered: the same for the page, in HTML and with forms, and under `/v1`, in JSON.

use std::time::Duration;

use axum::extract::{Path, RawQuery, State};
use axum::middleware::from_fn_with_state;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use bytes::Bytes;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CONTENT_TYPE, HOST, REFERER};
use http::{HeaderMap, StatusCode, Uri};
use jiff::Timestamp;
use serde::Serialize;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::Admin;
use super::guard::{guard, json_response};
use super::orders::{Choice, OperatorOrder};
use super::overview::{Done, RouteOverview, RouteState, WaitingEvents};
use super::page::{self, Card, RoutePage, SettingsPage, rendered};
use super::problem::ProblemDetails;
use crate::route::{Now, Route};
use crate::runtime::RouteCommand;
use crate::server::Language;
use crate::shared::lock;

/// For a route, which answers between two events.
const ROUTE_TIMEOUT: Duration = Duration::from_secs(5);
pub(super) const LETTERS_TIMEOUT: Duration = Duration::from_secs(20);
/// A page says what it knows by then.
const PAGE_TIMEOUT: Duration = Duration::from_secs(2);
/// For what was sent and is not answered, and for routes that leave.
const WORK_TIMEOUT: Duration = Duration::from_secs(120);
/// It says nothing of this bridge, and pages of other sites may show it.
pub(super) const OPENAPI_PATH: &str = "/v1/openapi.json";
const OPENAPI: &str = include_str!("openapi.json");

type Answer = Result<Response, ProblemDetails>;

pub(super) fn router(admin: Admin) -> Router {
    let for_all = [(ACCESS_CONTROL_ALLOW_ORIGIN, "*")];
    let guarded = Router::new()
        .route("/", get(overview_page))
        .route("/settings", get(settings_page))
        .route(
            "/page.css",
            get(file("text/css; charset=utf-8", page::STYLE)),
        )
        .route(
            "/page.js",
            get(file("text/javascript; charset=utf-8", page::SCRIPT)),
        )
        .route("/reload", post(reload_form))
        .route("/routes/{route}", get(route_page))
        .route("/routes/{route}/{action}", post(route_form))
        .route(
            "/routes/{route}/dead-letters/{action}",
            post(route_form_of_letters),
        )
        .route("/v1/overview", get(overview))
        .route("/v1/routes", get(routes))
        .route("/v1/routes/{route}", get(route))
        .route("/v1/routes/{route}/waiting-events", get(waiting_events))
        .route("/v1/routes/{route}/dead-letters", get(dead_letters))
        .route("/v1/routes/{route}/{action}", post(act))
        .route("/v1/routes/{route}/dead-letters/{action}", post(handle))
        .route("/v1/ingress-refusals", get(ingress_refusals))
        .route("/v1/settings", get(settings))
        .route("/v1/reload", post(reload))
        .route(
            OPENAPI_PATH,
            get((for_all, file("application/json", OPENAPI))),
        )
        .fallback(StatusCode::NOT_FOUND)
        .layer(from_fn_with_state(admin.clone(), guard));
    Router::new()
        .route("/livez", get("alive\n"))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .merge(guarded)
        .with_state(admin)
}

fn file(format: &'static str, text: &'static str) -> impl IntoResponse + Clone {
    ([(CONTENT_TYPE, format)], text)
}

async fn readyz(State(admin): State<Admin>) -> Response {
    match admin.telemetry.not_ready() {
        faults if faults.is_empty() => "ready\n".into_response(),
        faults => (StatusCode::SERVICE_UNAVAILABLE, faults).into_response(),
    }
}

async fn metrics(State(admin): State<Admin>) -> impl IntoResponse {
    let format = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(CONTENT_TYPE, format)], admin.telemetry.exposition())
}

// The page.

async fn overview_page(
    State(admin): State<Admin>,
    Extension(language): Extension<Language>,
) -> Html<String> {
    page::overview(&admin.overview(), &admin.notices(), language)
}

async fn route_page(
    State(admin): State<Admin>,
    Path(name): Path<String>,
    Extension(language): Extension<Language>,
) -> Answer {
    let route = admin.route(&name)?;
    let letters = admin.dead_letters(&route, PAGE_TIMEOUT);
    let (letters, waiting) = tokio::join!(letters, admin.waiting_events(&name, None));
    let notices = admin.notices();
    let page = RoutePage {
        language,
        at: Timestamp::now(),
        card: Card::new(&route, language, admin.settings.token.is_some()),
        letters: letters.as_deref().map_err(|problem| &*problem.detail),
        waiting: waiting.as_ref().map_err(|problem| &*problem.detail),
        notice: notices.get(&name),
    };
    Ok(rendered(&page).into_response())
}

async fn settings_page(
    State(admin): State<Admin>,
    Extension(language): Extension<Language>,
) -> Answer {
    let settings = admin.ask(ROUTE_TIMEOUT, OperatorOrder::Settings).await??;
    let notices = admin.notices();
    let page = SettingsPage {
        language,
        settings: &settings,
        actions: admin.settings.token.is_some(),
        notice: notices.get(""),
    };
    Ok(rendered(&page).into_response())
}

async fn reload_form(State(admin): State<Admin>, headers: HeaderMap) -> Answer {
    let taken = admin.ask(WORK_TIMEOUT, OperatorOrder::Reload).await;
    let done = taken.flatten().map(Done::Reloaded);
    admin.go_back(String::new(), done, &headers)
}

async fn route_form(
    State(admin): State<Admin>,
    Path((name, action)): Path<(String, String)>,
    headers: HeaderMap,
) -> Answer {
    admin.route(&name)?;
    let done = admin.act(&name, &action).await;
    admin.go_back(name, done, &headers)
}

async fn route_form_of_letters(
    State(admin): State<Admin>,
    Path((name, action)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    admin.route(&name)?;
    let fields = form_urlencoded::parse(&body);
    let positions = fields.filter(|(key, _)| key == "position");
    let positions = positions.map(|(_, it)| it.into_owned()).collect();
    let done = admin.handle(&name, &action, positions).await;
    admin.go_back(name, done, &headers)
}

// `/v1`.

async fn overview(State(admin): State<Admin>) -> Response {
    json(&admin.overview())
}

async fn routes(State(admin): State<Admin>) -> Response {
    json(&admin.overview().routes)
}

async fn route(State(admin): State<Admin>, Path(name): Path<String>) -> Answer {
    Ok(json(&admin.route(&name)?))
}

async fn waiting_events(
    State(admin): State<Admin>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query = query.unwrap_or_default();
    let mut query = form_urlencoded::parse(query.as_bytes());
    let id = query.find_map(|(key, id)| (key == "id").then(|| id.into_owned()));
    Ok(json(&admin.waiting_events(&name, id).await?))
}

async fn dead_letters(State(admin): State<Admin>, Path(name): Path<String>) -> Answer {
    let route = admin.route(&name)?;
    Ok(json(&admin.dead_letters(&route, LETTERS_TIMEOUT).await?))
}

async fn ingress_refusals(State(admin): State<Admin>) -> Response {
    json(&admin.telemetry.answers.refusals())
}

/// As lines, since `check-config` prints them so.
async fn settings(State(admin): State<Admin>) -> Answer {
    let effective = admin.ask(ROUTE_TIMEOUT, OperatorOrder::Settings).await??;
    let lines: Vec<_> = effective.lines().filter(|line| !line.is_empty()).collect();
    Ok(json(&serde_json::json!({ "lines": lines })))
}

async fn reload(State(admin): State<Admin>) -> Answer {
    let taken = admin.ask(WORK_TIMEOUT, OperatorOrder::Reload).await??;
    Ok(json(&taken))
}

async fn act(State(admin): State<Admin>, Path((name, action)): Path<(String, String)>) -> Answer {
    Ok(json(&admin.act(&name, &action).await?))
}

async fn handle(
    State(admin): State<Admin>,
    Path((name, action)): Path<(String, String)>,
    body: Bytes,
) -> Answer {
    admin.route(&name)?;
    let Positions { positions } = serde_json::from_slice(&body)
        .map_err(|error| ProblemDetails::new(StatusCode::BAD_REQUEST, error.to_string()))?;
    Ok(json(&admin.handle(&name, &action, positions).await?))
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Positions {
    positions: Vec<String>,
}

fn json(value: &impl Serialize) -> Response {
    let text = serde_json::to_string(value).expect("all names of members are texts");
    json_response("application/json", text)
}

impl Admin {
    fn route(&self, name: &str) -> Result<RouteOverview, ProblemDetails> {
        let mut routes = self.overview().routes.into_iter();
        let found = routes.find(|route| route.name == name);
        found.ok_or_else(|| ProblemDetails::no_route(name))
    }

    async fn waiting_events(
        &self,
        route: &str,
        id: Option<String>,
    ) -> Result<WaitingEvents, ProblemDetails> {
        let command = |reply| RouteCommand::Waiting(id, reply);
        self.command(route, command).await
    }

    async fn act(&self, route: &str, action: &str) -> Result<Done, ProblemDetails> {
        let (act, done): (fn(&mut Route, Now), _) = match action {
            "pause" => (Route::pause, Done::Paused),
            "resume" => (|route, _| route.resume(), Done::Resumed),
            "retry" => (Route::retry_now, Done::Retried),
            _ => return Err(ProblemDetails::no_action()),
        };
        let command = |reply| RouteCommand::Act(act, reply);
        self.command(route, command).await.map(|()| done)
    }

    async fn command<T>(
        &self,
        route: &str,
        command: impl FnOnce(oneshot::Sender<T>) -> RouteCommand,
    ) -> Result<T, ProblemDetails> {
        let order = |reply| OperatorOrder::Route(route.to_owned(), command(reply));
        match self.ask(ROUTE_TIMEOUT, order).await {
            Err(_) if self.route(route)?.state == RouteState::NotRunning => {
                Err(ProblemDetails::new(
                    StatusCode::CONFLICT,
                    format!("route {route} does not run: see the log, then reload"),
                ))
            }
            answer => answer,
        }
    }

    async fn handle(
        &self,
        route: &str,
        action: &str,
        positions: Vec<String>,
    ) -> Result<Done, ProblemDetails> {
        let dismiss = match action {
            "replay" => false,
            "dismiss" => true,
            _ => return Err(ProblemDetails::no_action()),
        };
        if positions.is_empty() {
            let detail = "names no dead letter: give the positions of some";
            return Err(ProblemDetails::new(StatusCode::BAD_REQUEST, detail));
        }
        let choice = Choice {
            route: route.to_owned(),
            positions,
            dismiss,
        };
        let order = |reply| OperatorOrder::Handle(choice, reply);
        let handled = self.ask(WORK_TIMEOUT, order).await;
        lock(&self.letters).remove(route);
        Ok(Done::DeadLetters(handled??))
    }

    /// To the page that the form stood on, which then says what became of it.
    fn go_back(
        &self,
        route: String,
        done: Result<Done, ProblemDetails>,
        headers: &HeaderMap,
    ) -> Answer {
        let text = |name| headers.get(name)?.to_str().ok();
        let referer = text(REFERER).and_then(|referer| referer.parse::<Uri>().ok());
        let is_own = |referer: &Uri| referer.authority().map(|it| it.as_str()) == text(HOST);
        let page = referer.filter(is_own);
        // Begins with a slash, as its text alone need not.
        let path = page.and_then(|it| Some(it.path_and_query()?.to_string()));
        let path = path.as_deref().unwrap_or("/");
        let notice = (Instant::now(), done.map_err(|problem| problem.told()));
        lock(&self.notices).insert(route, notice);
        Ok(Redirect::to(path).into_response())
    }
}

#[cfg(test)]
mod tests;
