//! Point 10: files, whole and in blocks.

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Answer, GROUP, Rig, USER};

#[tokio::test]
async fn a_file_given_as_base64_or_by_address_can_be_sent_in_its_kind_of_scene() {
    let rig = Rig::new();
    for body in [json!({"file_type": 1, "file_data": "aGVsbG8="}), json!({"file_type": 1, "url": "https://example.com/a.png"})] {
        let stored = files(&rig, &body).await;
        assert_eq!((stored.status, &stored.body["ttl"]), (200, &json!(300)), "{}", stored.text);
        let info = stored.body["file_info"].clone();
        let message = json!({"msg_type": 7, "media": {"file_info": info}});
        assert_eq!(rig.post(message.clone()).await.status, 200);
        let elsewhere = rig.api(Method::POST, &format!("/v2/users/{USER}/messages"), Some(&message)).await;
        assert_eq!(elsewhere.body["err_code"], 304_080);
    }
}

#[tokio::test]
async fn a_file_can_be_sent_at_once() {
    let rig = Rig::new();
    let stored = files(&rig, &json!({"file_type": 1, "file_data": "aGVsbG8=", "srv_send_msg": true})).await;
    assert_eq!(stored.body["id"], rig.platform.posted()[0].id);
}

#[tokio::test]
async fn a_file_expires_with_its_ttl() {
    let rig = Rig::with(|settings| settings.file_ttl_s = 1);
    let info = files(&rig, &json!({"file_type": 1, "file_data": "aGVsbG8="})).await.body["file_info"].clone();
    let stored_at = rig.platform.state().now_ms;
    rig.until(|platform| platform.state().now_ms > stored_at + 1_000).await;
    let answer = rig.post(json!({"msg_type": 7, "media": {"file_info": info}})).await;
    assert_eq!((answer.status, &answer.body["err_code"]), (400, &json!(304_080)));
}

#[tokio::test]
async fn bad_files_are_refused_with_both_numbers() {
    let rig = Rig::with(|settings| settings.file_bytes_max = 4);
    let cases = [
        (json!({"file_type": 9, "file_data": "aGVsbG8="}), 850_019, 40_034_002),
        (json!({"file_type": 1, "url": "ftp://example.com"}), 850_026, 40_034_001),
        (json!({"file_type": 1, "file_data": "aGVsbG8="}), 850_031, 850_031),
        (json!({"file_type": 1, "file_data": "***"}), 50_035, 50_035),
        (json!({"file_type": 1}), 50_035, 50_035),
    ];
    for (body, code, err_code) in cases {
        let answer = files(&rig, &body).await;
        assert_eq!((&answer.body["code"], &answer.body["err_code"]), (&json!(code), &json!(err_code)), "{body}");
    }
}

#[tokio::test]
async fn a_file_goes_up_in_blocks_counted_from_zero_or_one() {
    for first in [0, 1] {
        let rig = Rig::with(|settings| {
            settings.upload_block_bytes = 5;
            settings.upload_first_index = first;
        });
        let prepared = prepare(&rig, 9).await.body;
        let parts = prepared["parts"].as_array().unwrap();
        assert_eq!((parts.len(), &parts[0]["index"], &parts[1]["block_size"]), (2, &json!(first), &json!("4")));
        assert_eq!(prepared["block_size"], "5");
        for (part, text) in parts.iter().zip(["hello", "worl"]) {
            put(&rig, part, text).await;
            let finished = finish(&rig, &prepared["upload_id"], part, text).await;
            assert_eq!((finished.status, &finished.body), (200, &json!({})), "{}", finished.text);
        }
        let stored = files(&rig, &json!({"file_type": 2, "upload_id": prepared["upload_id"]})).await;
        assert!(stored.body["raw_url"].is_string(), "{}", stored.text);
        assert_eq!(rig.post(json!({"msg_type": 7, "media": {"file_info": stored.body["file_info"]}})).await.status, 200);
    }
}

#[tokio::test]
async fn an_upload_with_a_missing_or_wrong_block_is_not_finished() {
    let rig = Rig::with(|settings| settings.upload_block_bytes = 5);
    let prepared = prepare(&rig, 9).await.body;
    let parts = prepared["parts"].as_array().unwrap();
    assert_eq!(finish(&rig, &prepared["upload_id"], &parts[0], "hello").await.body["err_code"], 40_093_001);
    put(&rig, &parts[0], "hello").await;
    assert_eq!(finish(&rig, &prepared["upload_id"], &parts[0], "other").await.body["err_code"], 40_093_001);
    let stored = files(&rig, &json!({"file_type": 2, "upload_id": prepared["upload_id"]})).await;
    assert_eq!(stored.body["err_code"], 40_093_001);
}

async fn files(rig: &Rig, body: &Value) -> Answer {
    rig.api(Method::POST, &format!("/v2/groups/{GROUP}/files"), Some(body)).await
}

async fn prepare(rig: &Rig, bytes: u64) -> Answer {
    let body = json!({
        "file_type": 2, "file_size": bytes.to_string(), "file_name": "clip.mp4",
        "md5": "0".repeat(32), "sha1": "0".repeat(40), "md5_10m": "0".repeat(32),
    });
    rig.api(Method::POST, &format!("/v2/groups/{GROUP}/upload_prepare"), Some(&body)).await
}

/// Puts a block to its address, without a token.
async fn put(rig: &Rig, part: &Value, text: &str) {
    let url = part["presigned_url"].as_str().unwrap();
    let answer = rig.http.put(url).body(text.to_owned()).send().await.unwrap();
    assert_eq!(answer.status(), 200);
}

async fn finish(rig: &Rig, upload: &Value, part: &Value, text: &str) -> Answer {
    use md5::Digest;
    let md5: String = md5::Md5::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
    let body = json!({"upload_id": upload, "part_index": part["index"], "block_size": part["block_size"], "md5": md5});
    rig.api(Method::POST, &format!("/v2/groups/{GROUP}/upload_part_finish"), Some(&body)).await
}
