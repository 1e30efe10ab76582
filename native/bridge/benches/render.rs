//! What one line costs, each way.

use std::hint::black_box;

use auk_bridge::frame::{Player, ToNative};
use auk_bridge::{Bridge, Effect, Group, Input, Outcome, Settings, ToGame};
use auk_gateway::Timestamp;
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::value::RawValue;

const GROUP: &str = "AB00000000000000000000000000C001";

fn render(criterion: &mut Criterion) {
    let mut number = 0_u64;
    let mut bridge = ready_bridge();
    criterion.bench_function("group message to say frame", |bencher| {
        bencher.iter(|| {
            number += 1;
            let input = Input::Dispatch { event: "GROUP_MESSAGE_CREATE".to_owned(), data: group_message(number) };
            bridge.handle_input(black_box(input), Timestamp::from_ms(number));
            black_box(drain(&mut bridge, number))
        });
    });
    let line = br#"{"type":"chat","player":{"name":"Steve","uuid":"069a79f4-44e9-4726-a5be-fca90e38aaf5"},"text":"come to 100 64 -20"}"#;
    let mut bridge = ready_bridge();
    criterion.bench_function("chat frame to post", |bencher| {
        bencher.iter(|| {
            number += 10_000;
            let frame = ToNative::decode(black_box(line)).expect("a chat frame");
            bridge.handle_input(Input::Server(frame), Timestamp::from_ms(number));
            black_box(drain(&mut bridge, number))
        });
    });
    criterion.bench_function("players frame of 1000", |bencher| {
        let player = Player { name: "Steve".to_owned(), uuid: "069a79f4-44e9-4726-a5be-fca90e38aaf5".to_owned() };
        let frame = ToNative::Players { request: 1, online: vec![player; 1_000], max: 1_000 }.encode().expect("it fits");
        bencher.iter(|| black_box(ToNative::decode(black_box(&frame)).expect("a players frame")));
    });
}

fn ready_bridge() -> Bridge {
    let group = Group {
        openid: GROUP.to_owned(),
        name: String::new(),
        to_game: ToGame::All,
        from_game: true,
        chat: true,
        death: true,
        advancement: true,
        join: true,
        leave: true,
        start: true,
        stop: true,
    };
    let mut bridge = Bridge::new(Settings { groups: vec![group], ..Settings::default() }, Timestamp::from_ms(0));
    bridge.handle_input(Input::GatewayUp, Timestamp::from_ms(0));
    bridge
}

fn group_message(number: u64) -> Box<RawValue> {
    let json = format!(
        r#"{{"id":"ROBOT1.0_{number}!","group_openid":"{GROUP}","author":{{"member_openid":"0F01","username":"小明"}},
        "content":"今晚打龙吗 <faceType=1,faceId=\"5\",ext=\"eyJ0ZXh0Ijoi5rWB5rOqIn0=\">","attachments":[]}}"#
    );
    RawValue::from_string(json).expect("JSON")
}

fn drain(bridge: &mut Bridge, ms: u64) -> usize {
    let mut effects = 0;
    while let Some(effect) = bridge.poll_effect() {
        effects += 1;
        if let Effect::Post(post) = effect {
            let outcome = Outcome::Delivered { message_id: None };
            bridge.handle_input(Input::Posted { post: post.id, outcome }, Timestamp::from_ms(ms));
        }
    }
    effects
}

criterion_group!(benches, render);
criterion_main!(benches);
