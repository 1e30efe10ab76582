//! The platform's rate for posts is kept by waiting, not by losing.

use std::time::{Duration, Instant};

use auk_gateway::Rate;
use auk_loopback::{GROUP, config, ready_client};
use auk_runtime::{GroupMessage, SendError, Sender};
use auk_simulator::{Platform, Say, Settings};
use tokio::task::JoinSet;

/// A platform that takes so many posts a second, and many replies to one message.
fn platform(sends_per_second_max: usize) -> Platform {
    Platform::start(Settings { sends_per_second_max, group_replies_max: 10_000, ..Settings::default() })
}

/// Posts a reply whose number and text are the caller's.
async fn post(sender: &Sender, msg_id: &str, number: u32, text: String) -> Result<(), SendError> {
    let message = GroupMessage { content: text, msg_type: 0, msg_id: Some(msg_id.to_owned()), msg_seq: Some(number) };
    sender.post_group_message(GROUP, &message).await.map(drop)
}

#[tokio::test]
async fn of_250_posts_at_once_none_is_refused_and_none_is_lost() {
    let platform = platform(100);
    let (client, _events) = ready_client(config(&platform)).await;
    let msg_id = platform.say(GROUP, &Say::at("a", "go")).expect("known").msg_id;
    let mut posts = JoinSet::new();
    for number in 1..=250 {
        let (sender, msg_id) = (client.sender(), msg_id.clone());
        posts.spawn(async move { post(&sender, &msg_id, number, format!("m{number}")).await });
    }
    let began = Instant::now();
    assert!(posts.join_all().await.iter().all(Result::is_ok));
    // 8 go at once and 242 wait 11 ms each: 2,662 ms. Less would be more than the platform takes.
    assert!(began.elapsed() >= Duration::from_millis(2_662), "{:?}", began.elapsed());
    let mut numbers: Vec<_> = platform.posted().iter().map(|posted| posted.msg_seq).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=250).collect::<Vec<_>>());
}

#[tokio::test]
async fn posts_of_one_caller_arrive_in_its_order() {
    let platform = platform(100);
    let (client, _events) = ready_client(config(&platform)).await;
    let msg_id = platform.say(GROUP, &Say::at("a", "go")).expect("known").msg_id;
    let mut callers = JoinSet::new();
    for caller in 0..10_u32 {
        let (sender, msg_id) = (client.sender(), msg_id.clone());
        callers.spawn(async move {
            for number in 0..10 {
                post(&sender, &msg_id, caller * 10 + number + 1, format!("{caller}:{number}")).await.expect("delivered");
            }
        });
    }
    callers.join_all().await;
    let contents: Vec<_> = platform.posted().into_iter().map(|posted| posted.content).collect();
    assert_eq!(contents.len(), 100);
    for caller in 0..10 {
        let of_caller: Vec<_> = contents.iter().filter(|content| content.starts_with(&format!("{caller}:"))).cloned().collect();
        assert_eq!(of_caller, (0..10).map(|number| format!("{caller}:{number}")).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_queue_that_is_full_refuses_and_sends_nothing() {
    let platform = platform(100);
    let mut config = config(&platform);
    // One post, and no other within this test.
    config.sends = Rate { burst: 1, interval_ms: 3_600_000 };
    config.sends_waiting_max = 3;
    let (client, _events) = ready_client(config).await;
    let msg_id = platform.say(GROUP, &Say::at("a", "go")).expect("known").msg_id;
    post(&client.sender(), &msg_id, 1, "first".to_owned()).await.expect("delivered");
    let mut waiting = JoinSet::new();
    for number in 2..=4 {
        let (sender, msg_id) = (client.sender(), msg_id.clone());
        waiting.spawn(async move { post(&sender, &msg_id, number, "waits".to_owned()).await });
    }
    // One thread runs all tasks in turn: each gets to its place in the line before this one goes on.
    tokio::task::yield_now().await;
    assert_eq!(post(&client.sender(), &msg_id, 5, "no place".to_owned()).await, Err(SendError::QueueFull));
    // Whoever gives up leaves the place to others.
    waiting.abort_all();
    while waiting.join_next().await.is_some() {}
    let late = tokio::time::timeout(Duration::from_millis(50), post(&client.sender(), &msg_id, 6, "waits".to_owned())).await;
    assert!(late.is_err(), "it waits");
    assert_eq!(platform.posted().len(), 1);
}

#[tokio::test]
async fn a_refusal_for_the_rate_holds_the_next_post_back_until_it_is_taken() {
    let platform = platform(1);
    let (client, _events) = ready_client(config(&platform)).await;
    let msg_id = platform.say(GROUP, &Say::at("a", "go")).expect("known").msg_id;
    let sender = client.sender();
    post(&sender, &msg_id, 1, "first".to_owned()).await.expect("delivered");
    let refused = post(&sender, &msg_id, 2, "too soon".to_owned()).await;
    assert!(matches!(refused, Err(SendError::Refused { .. })), "{refused:?}");
    // The answer names no time, so it is a second: by then the platform takes another.
    let began = Instant::now();
    post(&sender, &msg_id, 3, "in time".to_owned()).await.expect("delivered");
    assert!(began.elapsed() >= Duration::from_millis(900), "{:?}", began.elapsed());
}
