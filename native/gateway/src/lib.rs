//! The gateway session of a QQ bot as a pure state machine.
//!
//! This crate opens no socket, reads no clock, starts no thread and logs nothing. A driver hands it [`Input`]s together with the
//! time, performs the [`Effect`]s it asks for, and passes its [`Event`]s on:
//!
//! ```
//! use auk_gateway::{Credentials, Effect, Gateway, GatewayConfig, Timestamp};
//!
//! let config = GatewayConfig::new(Credentials::new("102000001", "secret")?);
//! let mut gateway = Gateway::new(config, Timestamp::from_ms(0));
//! // One change, then drain. The first thing a session needs is a token; that it was asked for outlives the process.
//! assert!(matches!(gateway.poll_effect(), Some(Effect::Remember(_))));
//! assert!(matches!(gateway.poll_effect(), Some(Effect::FetchToken { .. })));
//! assert_eq!(gateway.poll_effect(), None);
//! # Ok::<(), auk_gateway::CredentialsError>(())
//! ```
//!
//! Why it cannot storm: there is one state and so one attempt at a time; every attempt to connect passes one place with two independent
//! brakes ([`Pace`]), a back-off that only a stable session clears and a limiter that does not look at outcomes; look-ups and token
//! requests pass limiters of their own; an input that names another connection or request changes nothing.

mod address;
mod answer;
mod backoff;
mod body_codes;
mod bucket;
mod catalogue;
mod close_code;
mod config;
mod effect;
mod event;
mod gateway;
mod halt;
mod heartbeat;
mod identify_budget;
mod input;
mod language;
mod limiter;
mod loss;
mod memory;
mod payload;
mod refusal;
mod session;
mod state;
mod status;
mod timestamp;
mod token;
mod token_keeper;

pub use answer::{HttpAnswer, HttpFailure};
pub use body_codes::BodyCodes;
pub use bucket::Bucket;
pub use catalogue::{CATALOGUE, Catalogue, Row, Section};
pub use close_code::{CloseVerdict, close_advice, close_verdict};
pub use config::{Credentials, CredentialsError, GatewayConfig, Pace, Rate};
pub use effect::{AddressEndpoint, CODE_FINAL, CODE_RESUMING, ConnId, Effect, Outgoing, RequestId};
pub use event::{Dispatch, Event, Setback};
pub use gateway::Gateway;
#[cfg(feature = "plants")]
pub use gateway::plants::Plant;
pub use halt::HaltReason;
pub use input::{Close, ConnectFailure, FrameText, Input};
pub use language::Language;
pub use loss::{LinkStep, LossCause};
pub use memory::{AttemptKind, Memo, Memory, SavedAddress, SavedAllowance, SavedAttempt, SavedSession, SavedToken};
pub use refusal::{CallRefusal, RefusalKind, judge_call, judge_post, post_advice};
pub use status::{AttemptStatus, DeadlineStatus, HaltStatus, Status};
pub use timestamp::Timestamp;
pub use token::AccessToken;
