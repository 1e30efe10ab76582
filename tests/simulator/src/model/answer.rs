//! HTTP answers of the platform, and the error bodies with their literal numbers and messages.

use serde_json::{Value, json};

/// An HTTP answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Header `Content-Type`.
    pub content_type: &'static str,
    /// The body's bytes.
    pub body: Vec<u8>,
    /// Header `X-Tps-trace-ID`; the body of an error has the same.
    pub trace_id: String,
    /// Milliseconds until the answer leaves the platform.
    pub delay_ms: u64,
    /// The error number that the answer carries, 0 for success. For records.
    pub code: i64,
}

impl Answer {
    pub(super) fn json(status: u16, body: &Value, trace_id: String) -> Self {
        Self { status, content_type: "application/json", body: body.to_string().into_bytes(), trace_id, delay_ms: 0, code: 0 }
    }

    pub(super) fn ok(body: &Value, trace_id: String) -> Self {
        Self::json(200, body, trace_id)
    }

    pub(super) fn no_content(trace_id: String) -> Self {
        Self { body: Vec::new(), ..Self::json(204, &Value::Null, trace_id) }
    }

    /// The page that an edge server answers with when the platform behind it is away.
    pub(super) fn html_502(trace_id: String) -> Self {
        Self {
            status: 502,
            content_type: "text/html",
            body: b"<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>"
                .to_vec(),
            trace_id,
            delay_ms: 0,
            code: 0,
        }
    }

    /// A failure in the body shape seen on the wire: `message`, `code`, `err_code`, `trace_id`.
    pub(super) fn failure(failure: &Failure, as_http_200: bool, trace_id: String) -> Self {
        let (status, body) = if as_http_200 && failure.status == 400 {
            let body = json!({"err_code": failure.err_code, "message": failure.message, "trace_id": trace_id});
            (200, body)
        } else {
            let body = json!({"message": failure.message, "code": failure.code, "err_code": failure.err_code, "trace_id": trace_id});
            (failure.status, body)
        };
        Self { code: failure.err_code, ..Self::json(status, &body, trace_id) }
    }

    pub(super) fn after(self, delay_ms: Option<u64>) -> Self {
        Self { delay_ms: self.delay_ms + delay_ms.unwrap_or(0), ..self }
    }
}

/// A refusal: HTTP status, both numbers and the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) status: u16,
    pub(super) code: i64,
    pub(super) err_code: i64,
    pub(super) message: String,
}

impl Failure {
    /// A refusal whose two numbers are equal, with HTTP 400.
    pub(super) fn new(code: i64, message: &str) -> Self {
        Self::with(400, code, code, message)
    }

    pub(super) fn with(status: u16, code: i64, err_code: i64, message: &str) -> Self {
        Self { status, code, err_code, message: message.to_owned() }
    }

    /// The refusal of a number that a fault asks for; a number that is not in the docs' tables has a plain message.
    pub(super) fn of_code(code: i64) -> Self {
        let known = KNOWN.iter().find(|(number, ..)| *number == code);
        match known {
            Some((_, status, message)) => Self::with(*status, code, code, message),
            None => Self::new(code, "simulated failure"),
        }
    }
}

pub(super) fn token_missing() -> Failure {
    Failure::with(401, 11241, 11241, "ErrorWrongToken")
}

pub(super) fn token_wrong() -> Failure {
    Failure::with(401, 11243, 11243, "ErrorCheckTokenNotPass")
}

pub(super) fn token_expired() -> Failure {
    Failure::with(401, 11244, 11244, "token not exist or expire")
}

pub(super) fn token_legacy() -> Failure {
    Failure::with(401, 11245, 11245, "固定Token已禁用，请使用AccessToken鉴权")
}

pub(super) fn ip_not_in_whitelist() -> Failure {
    Failure::with(401, 11298, 40_023_002, "接口访问源IP不在白名单")
}

pub(super) fn rate_limited() -> Failure {
    Failure::with(400, 100_017, 40_023_001, "接口调用超过频率限制")
}

pub(super) fn unknown_openid() -> Failure {
    Failure::with(400, 11255, 40_011_028, "请求的资源不存在(用户/群已注销)")
}

pub(super) fn bot_banned() -> Failure {
    Failure::with(401, 11265, 11265, "ErrorRobotHasBaned")
}

pub(super) fn bot_deleted() -> Failure {
    Failure::with(401, 11700, 11700, "robot has canceled")
}

pub(super) fn invalid_body(detail: &str) -> Failure {
    Failure::new(50_035, &format!("InvalidFormBody: {detail}"))
}

/// Numbers of the docs' send tables (July 2026) with status and message, for faults that ask for one by number.
const KNOWN: &[(i64, u16, &str)] = &[
    (11_244, 401, "token not exist or expire"),
    (11_253, 400, "ErrorCheckAppPrivilegeNotPass"),
    (11_254, 400, "ErrorInterfaceForbidden"),
    (22_009, 400, "msg limit exceed"),
    (304_103, 400, "消息ID已过期，不能回复"),
    (40_034_005, 400, "回复消息msg_id已过期"),
    (40_034_006, 400, "消息内容违规"),
    (40_034_024, 400, "请求参数msg_id无效或越权"),
    (40_034_028, 400, "消息发送失败, 不允许包含url"),
    (40_034_100, 400, "主动消息发送超过频控限制"),
    (40_034_101, 400, "机器人非群成员"),
    (40_034_102, 400, "主动消息失败, 无权限"),
    (40_034_105, 400, "主动消息失败, 无权限"),
    (40_034_128, 400, "被动回复时间或次数超限"),
    (40_054_002, 400, "机器人被禁言"),
    (40_054_003, 400, "机器人不是群成员"),
    (40_054_005, 400, "消息被去重，请检查请求msgseq"),
    (40_054_007, 400, "消息长度超限"),
    (40_054_013, 400, "用户拒收消息"),
    (40_054_016, 400, "机器人已下线"),
    (50_055_001, 500, "消息发送异常，请稍后重试"),
    (50_055_002, 500, "消息发送异常，请稍后重试"),
];
