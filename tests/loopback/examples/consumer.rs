//! A client with the test profile that takes orders on standard input, one a line, and writes what it is given to standard output as JSON,
//! one object a line. Its log goes to standard error, as far as `AUK_TEST_LOG` says; `AUK_TEST_SHIPPED` gives it the shipped settings.
//!
//! Orders: `block MS` takes no events for so long, `stop`, `start`, `drop`, `status`, `settings`, `reply MSG_ID NUMBER TEXT`, `panic`.

use std::env::var;
use std::fmt::Write as _;
use std::io::{BufRead, Write as _};
use std::time::{Duration, Instant};

use auk_gateway::Event;
use auk_loopback::{body, rig, text};
use auk_runtime::{Client, ClientConfig, ClientEvents, GroupMessage};
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tracing::field::{Field, Visit};
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    if let Ok(level) = var("AUK_TEST_LOG") {
        tracing::subscriber::set_global_default(tracing_subscriber::registry().with(Printer(level.parse()?)))?;
    }
    let config = settings()?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut orders = orders();
    let mut running = Some(Client::start(config.clone())?);
    loop {
        let order = tokio::select! {
            order = orders.recv() => order,
            event = next_event(&mut running) => {
                note(&event);
                continue;
            }
            _ = terminate.recv() => break,
        };
        let Some(order) = order else { break };
        obey(&order, &config, &mut running).await?;
    }
    if let Some((client, _)) = &mut running {
        client.stop().await;
    }
    Ok(())
}

fn settings() -> Result<ClientConfig, Box<dyn std::error::Error>> {
    let mut config = rig::config("http://127.0.0.1:1");
    config.gateway.credentials = auk_gateway::Credentials::new(var("QQ_APPID")?, var("QQ_SECRET")?)?;
    config.token_url = var("QQ_TOKEN_URL")?;
    config.api_base = var("QQ_API_BASE")?;
    config.extra_root_file = var("AUK_TEST_ROOT").ok().map(Into::into);
    if var("AUK_TEST_SHIPPED").is_ok() {
        config.gateway.pace = auk_gateway::Pace::default();
    }
    // Back-off and its cap, each stage, and how long a session must have been ready, all in ms.
    if let Ok(pace) = var("AUK_TEST_PACE") {
        let ms: Vec<u64> = pace.split(',').map(str::parse).collect::<Result<_, _>>()?;
        let &[base, cap, stage, settled] = ms.as_slice() else { return Err("AUK_TEST_PACE wants four numbers".into()) };
        let pace = &mut config.gateway.pace;
        (pace.backoff_ms_base, pace.backoff_ms_max, pace.settled_ms) = (base, cap, settled);
        (pace.exchange_ms_max, pace.connect_ms_max, pace.hello_ms_max, pace.authenticate_ms_max) = (stage, stage, stage, stage);
    }
    Ok(config)
}

/// A thread reads them: standard input is not waited for in any other way.
fn orders() -> mpsc::UnboundedReceiver<String> {
    let (given, orders) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if given.send(line).is_err() {
                break;
            }
        }
    });
    orders
}

async fn next_event(running: &mut Option<(Client, ClientEvents)>) -> Event {
    if let Some((_, events)) = running
        && let Some(event) = events.recv().await
    {
        return event;
    }
    std::future::pending().await
}

async fn obey(order: &str, config: &ClientConfig, running: &mut Option<(Client, ClientEvents)>) -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<&str> = order.splitn(4, ' ').collect();
    match (words.as_slice(), &mut *running) {
        (["block", ms], _) => tokio::time::sleep(Duration::from_millis(ms.parse()?)).await,
        (["stop"], Some((client, _))) => {
            let began = Instant::now();
            client.stop().await;
            say(&json!({ "kind": "stop_returned", "after_ms": began.elapsed().as_millis() as u64 }));
        }
        (["start"], _) => *running = Some(Client::start(config.clone())?),
        (["drop"], _) => *running = None,
        (["status"], Some((client, _))) => say(&json!({ "kind": "status", "status": client.status() })),
        (["settings"], _) => say(&json!({ "kind": "settings", "debug": format!("{config:?}") })),
        (["reply", msg_id, number, text], Some((client, _))) => {
            let message = GroupMessage { msg_seq: Some(number.parse()?), ..GroupMessage::reply(*msg_id, *text) };
            let (sender, number) = (client.sender(), (*number).to_owned());
            tokio::spawn(async move {
                let sent = sender.post_group_message(auk_loopback::GROUP, &message).await;
                say(&json!({ "kind": "sent", "number": number, "result": format!("{sent:?}") }));
            });
        }
        (["panic"], _) => panic!("the consumer was told to"),
        (_, _) => say(&json!({ "kind": "unknown_order", "order": order })),
    }
    Ok(())
}

fn note(event: &Event) {
    say(&if let Event::Ready { .. } = event {
        json!({ "kind": "ready" })
    } else if let Event::Resumed { replayed } = event {
        json!({ "kind": "resumed", "replayed": replayed })
    } else if let Event::Lost { cause, retry_in_ms, session_kept } = event {
        json!({ "kind": "lost", "cause": cause.to_string(), "retry_in_ms": retry_in_ms, "session_kept": session_kept })
    } else if let Event::SetBack { setback, retry_in_ms } = event {
        json!({ "kind": "set_back", "setback": format!("{setback:?}"), "retry_in_ms": retry_in_ms })
    } else if let Event::Halted { reason, detail, .. } = event {
        json!({ "kind": "halted", "reason": reason.to_string(), "detail": detail })
    } else if let Event::Dispatch(dispatch) = event {
        let data: Value = body(event).and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
        json!({ "kind": "dispatch", "name": dispatch.name, "s": dispatch.sequence, "id": data["id"], "text": text(event) })
    } else {
        json!({ "kind": "other", "event": format!("{event:?}") })
    });
}

fn say(line: &Value) {
    let mut out = std::io::stdout().lock();
    // Whoever does not read any more has ended.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Prints each event of the log up to a level, from whatever library it comes.
struct Printer(Level);

impl<S: Subscriber> Layer<S> for Printer {
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        *metadata.level() <= self.0
    }

    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        let mut line = Line(format!("{} {}", event.metadata().level(), event.metadata().target()));
        event.record(&mut line);
        eprintln!("{}", line.0);
    }
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        // Writing to a string does not fail.
        let _ = if field.name() == "message" { write!(self.0, " {value:?}") } else { write!(self.0, " {}={value:?}", field.name()) };
    }
}
