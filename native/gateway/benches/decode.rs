//! What one dispatch costs the pure session: read the frame, note the sequence, hand the body on.

use std::hint::black_box;

use auk_gateway::{ConnId, Credentials, Effect, Event, Gateway, GatewayConfig, HttpAnswer, Input, Timestamp};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

const NOW: Timestamp = Timestamp::from_ms(0);

fn decode(criterion: &mut Criterion) {
    let (mut gateway, conn) = ready();
    let mut sequence = 1_u64;
    let mut group = criterion.benchmark_group("gateway");
    group.throughput(Throughput::Elements(1));
    group.bench_function("decode a dispatch", |bencher| {
        bencher.iter_batched(
            || {
                sequence += 1;
                group_message(sequence)
            },
            |text| {
                gateway.handle_input(Input::Frame { conn, text: text.into() }, NOW);
                let event = gateway.poll_event();
                assert!(matches!(event, Some(Event::Dispatch(_))));
                black_box(event)
            },
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

/// A group message as the platform sends it, about 700 bytes.
fn group_message(sequence: u64) -> String {
    format!(
        r#"{{"op":0,"s":{sequence},"t":"GROUP_AT_MESSAGE_CREATE","id":"GROUP_AT_MESSAGE_CREATE:zz{sequence}","d":{{"id":"ROBOT1.0_yA7.kd-3_0bQ{sequence}!","author":{{"id":"0F00000000000000000000000000B001","member_openid":"0F00000000000000000000000000B001","member_role":"member","username":"小明","bot":false,"union_openid":"0F00000000000000000000000000B001"}},"content":" 大家好，今晚八点一起打末影龙 😀 ","group_id":"AB00000000000000000000000000C001","group_openid":"AB00000000000000000000000000C001","message_type":0,"message_scene":{{"source":"default","ext":["msg_idx=REFIDX_a1==","auth_token=t0k"]}},"mentions":[],"attachments":[],"timestamp":"2026-09-20T10:00:01+08:00"}}}}"#
    )
}

fn ready() -> (Gateway, ConnId) {
    let credentials = Credentials::new("102000001", "secret").expect("well formed");
    let mut gateway = Gateway::new(GatewayConfig::new(credentials), NOW);
    let answer = |body: &str| HttpAnswer::Received { status: 200, body: body.to_owned(), retry_after_ms: None };
    let mut connection = None;
    while let Some(effect) = gateway.poll_effect() {
        match effect {
            Effect::FetchToken { request, .. } => {
                let answer = answer(r#"{"access_token":"t","expires_in":"7200"}"#);
                gateway.handle_input(Input::TokenAnswered { request, answer }, NOW);
            }
            Effect::FetchAddress { request, .. } => {
                let answer = answer(r#"{"url":"wss://gateway.example/websocket"}"#);
                gateway.handle_input(Input::AddressAnswered { request, answer }, NOW);
            }
            Effect::Connect { conn, .. } => {
                connection = Some(conn);
                gateway.handle_input(Input::Opened { conn }, NOW);
                let text = r#"{"op":10,"d":{"heartbeat_interval":45000}}"#.to_owned();
                gateway.handle_input(Input::Frame { conn, text: text.into() }, NOW);
                let text = r#"{"op":0,"s":1,"t":"READY","d":{"session_id":"s"}}"#.to_owned();
                gateway.handle_input(Input::Frame { conn, text: text.into() }, NOW);
            }
            Effect::Send { .. } | Effect::Close { .. } | Effect::Remember(_) => {}
        }
    }
    while gateway.poll_event().is_some() {}
    (gateway, connection.expect("a connection"))
}

criterion_group!(benches, decode);
criterion_main!(benches);
