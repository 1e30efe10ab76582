//! Point 12: the IP whitelist.

use reqwest::Method;
use serde_json::json;

use crate::client::Rig;

#[tokio::test]
async fn the_whitelist_refuses_calls_but_not_the_websocket() {
    let rig = Rig::new();
    rig.faults(json!({"whitelist_refuses": true}));
    for path in ["/gateway", "/users/@me"] {
        let answer = rig.api(Method::GET, path, None).await;
        assert_eq!(answer.status, 401);
        assert_eq!((&answer.body["code"], &answer.body["err_code"]), (&json!(11_298), &json!(40_023_002)));
        assert_eq!(answer.body["message"], "接口访问源IP不在白名单");
    }
    rig.ready().await;
}
