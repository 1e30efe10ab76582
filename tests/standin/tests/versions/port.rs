//! Every member of the server port, on the adapter that the mod itself made for the server that runs.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::course::{ALEX, BEDROCK, Course, Guest, STEVE, Seen, hold, texts};

impl Course<'_> {
    /// Calls each member at least once; a member that is new fails until it is called here.
    pub(crate) fn server_port(&mut self) -> Seen {
        let course = self;
        let mut called = BTreeSet::new();
        let mut is = |course: &mut Course<'_>, member: &'static str, arguments: &[&str], wanted: Value| -> Seen {
            called.insert(member.to_owned());
            let answer = course.play.order(json!({ "do": "port", "member": member, "arguments": arguments }))?;
            hold(answer == wanted, || format!("{member} {arguments:?} answers {answer}, not {wanted}"))
        };
        is(course, "getPlatform", &[], json!("fabric"))?;
        let version = course.version();
        is(course, "getMinecraft", &[], json!(version))?;
        is(course, "getMotd", &[], json!("A stand-in"))?;
        is(course, "getMaxPlayers", &[], json!(20))?;
        is(course, "players", &[], json!([online(&STEVE), online(&ALEX), online(&BEDROCK)]))?;
        is(course, "tickTimes", &[], json!({ "perSecond": 20.0, "meanMs": 12.5 }))?;
        for (name, listed) in [("alex", true), ("Steve", false), ("Alexa", false)] {
            is(course, "isOperator", &[name], json!(listed))?;
        }
        for (name, listed) in [("STEVE", true), ("Alex", false)] {
            is(course, "isWhitelisted", &[name], json!(listed))?;
        }
        is(course, "tell", &[STEVE.uuid, "for Steve"], json!(true))?;
        is(course, "broadcast", &["for all"], Value::Null)?;
        for stranger in ["00000000-0000-4000-8000-000000000000", "no uuid"] {
            is(course, "tell", &[stranger, "for nobody"], json!(false))?;
            is(course, "disconnect", &[stranger, "for nobody"], json!(false))?;
        }
        let console = course.play.events("console").len();
        is(course, "runCommand", &["greet"], json!({ "lines": ["Hello from the server"], "done": true }))?;
        is(course, "runCommand", &["stumble"], json!({ "lines": ["The server stumbled"], "done": false }))?;
        let unknown = ["Unknown or incomplete command", "nonsense<--[HERE]"];
        is(course, "runCommand", &["nonsense"], json!({ "lines": unknown, "done": false }))?;
        hold(course.play.events("console").len() == console, || "the console heard what was kept".to_owned())?;
        is(course, "disconnect", &[BEDROCK.uuid, "so long"], json!(true))?;
        is(course, "log", &["INFO", "probe", "a line"], Value::Null)?;
        called.insert("execute".to_owned());
        let thread = course.play.order(json!({ "do": "port execute" }))?;
        hold(thread == "Server thread", || format!("a task ran on {thread}"))?;
        let members = course.play.order(json!({ "do": "port members" }))?;
        hold(texts(&members).into_iter().collect::<BTreeSet<_>>() == called, || {
            format!("the port has {members}, and {called:?} were called")
        })?;
        effects(course)
    }
}

fn effects(course: &mut Course<'_>) -> Seen {
    let shown = course.play.shown();
    let to = |text: &str| shown.iter().filter(|(_, own)| own == text).map(|(player, _)| player.as_str()).collect::<Vec<_>>();
    hold(to("for Steve") == ["Steve"], || format!("{shown:?}"))?;
    hold(to("for all") == ["Steve", "Alex", ".Steve"], || format!("{shown:?}"))?;
    hold(to("for nobody").is_empty(), || format!("{shown:?}"))?;
    let gone = course.play.events("disconnected");
    hold(gone.len() == 1 && gone[0]["player"] == ".Steve" && gone[0]["reason"] == "so long", || format!("{gone:?}"))?;
    let logged = course.play.events("log").iter().any(|event| event["line"] == "INFO auk.probe - a line");
    hold(logged, || "the log has no line of the port".to_owned())
}

fn online(guest: &Guest) -> Value {
    json!({
        "player": { "name": guest.name, "uuid": guest.uuid },
        "latencyMs": guest.latency_ms,
        "dimension": "minecraft:the_nether",
        "gameMode": "adventure",
    })
}
