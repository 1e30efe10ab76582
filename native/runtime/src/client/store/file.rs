use std::fs::OpenOptions;
use std::path::Path;
use std::time::Duration;

use auk_gateway::{AccessToken, AttemptKind, Memory, SavedAddress, SavedAllowance, SavedAttempt, SavedSession, SavedToken, Timestamp};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, Transaction, params};

use super::Bot;
use super::changes::Changes;
use super::trouble::StoreTrouble;

/// The file itself. It is held by one process at a time: two that resume one session would take it from each other.
pub(super) struct StoreFile(Connection);

/// The format that is read and written here.
const VERSION: i64 = 1;

/// A predecessor in this process may still be writing its last changes.
const LOCK_MS_MAX: u64 = 1_000;

/// Times are milliseconds since the Unix epoch.
const SCHEMA: &str = "
    CREATE TABLE bot (
        app_id TEXT NOT NULL,
        api_base TEXT NOT NULL,
        session_id TEXT,
        session_sequence INTEGER,
        session_began INTEGER,
        token TEXT,
        token_expires INTEGER,
        address TEXT,
        address_learned INTEGER,
        allowance_remaining INTEGER,
        allowance_reset INTEGER,
        allowance_max_concurrency INTEGER,
        PRIMARY KEY (app_id, api_base)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE attempt (
        app_id TEXT NOT NULL,
        api_base TEXT NOT NULL,
        at INTEGER NOT NULL,
        kind TEXT NOT NULL
    ) STRICT;
    CREATE INDEX attempt_of_bot ON attempt (app_id, api_base, at);
    PRAGMA user_version = 1;
";

impl StoreFile {
    pub(super) fn open(path: &Path) -> Result<Self, StoreTrouble> {
        keep_private(path)?;
        let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        db.busy_timeout(Duration::from_millis(LOCK_MS_MAX))?;
        db.execute_batch("PRAGMA locking_mode = EXCLUSIVE")?;
        let version: i64 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let is_empty: bool = db.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))?;
        match version {
            VERSION => {}
            0 if is_empty => {}
            newer if newer > VERSION => return Err(StoreTrouble::Newer(newer)),
            _ => return Err(StoreTrouble::NotOurs),
        }
        // A process that crashes loses nothing that was written; a machine that does may lose the last moments, but not the file.
        db.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 64; PRAGMA cache_size = -256",
        )?;
        // Written at once even when nothing is missing: a lock that is not had, or a disk without room, shows now.
        db.execute_batch("BEGIN IMMEDIATE")?;
        if version == 0 {
            db.execute_batch(SCHEMA)?;
        }
        db.execute_batch("COMMIT")?;
        Ok(Self(db))
    }

    /// What is known of a bot; nothing of one that was never here.
    pub(super) fn load(&self, bot: &Bot) -> Result<Memory, StoreTrouble> {
        let key = params![bot.app_id, bot.api_base];
        let memory = self.0.query_row("SELECT * FROM bot WHERE app_id = ?1 AND api_base = ?2", key, read_bot).optional()?;
        let mut attempts = self.0.prepare("SELECT kind, at FROM attempt WHERE app_id = ?1 AND api_base = ?2 ORDER BY at")?;
        let rows = attempts.query_map(key, |row| Ok((row.get::<_, String>(0)?, time(row, "at")?)))?;
        let mut memory = memory.unwrap_or_default();
        for row in rows {
            let (kind, at) = row?;
            if let (Some(kind), Some(at)) = (KINDS.into_iter().find(|known| name(*known) == kind), at) {
                memory.attempts.push(SavedAttempt { kind, at });
            }
        }
        Ok(memory)
    }

    /// Writes changes, all or none.
    pub(super) fn write(&mut self, changes: &[(Bot, Changes)]) -> Result<(), StoreTrouble> {
        if changes.iter().all(|(_, changes)| changes.is_empty()) {
            return Ok(());
        }
        let transaction = self.0.transaction()?;
        for (bot, changes) in changes {
            write_bot(&transaction, bot, changes)?;
        }
        Ok(transaction.commit()?)
    }
}

/// Makes the file, readable for its owner alone: there is a token in it.
fn keep_private(path: &Path) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let file = options.mode(0o600).open(path)?;
        if file.metadata()?.permissions().mode() & 0o077 != 0 {
            file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
        }
    }
    #[cfg(not(unix))]
    options.open(path)?;
    Ok(())
}

fn write_bot(db: &Transaction<'_>, bot: &Bot, changes: &Changes) -> Result<(), StoreTrouble> {
    let Bot { app_id, api_base } = bot;
    db.execute("INSERT OR IGNORE INTO bot (app_id, api_base) VALUES (?1, ?2)", params![app_id, api_base])?;
    if let Some(session) = &changes.session {
        db.execute(
            "UPDATE bot SET session_id = ?3, session_sequence = ?4, session_began = ?5 WHERE app_id = ?1 AND api_base = ?2",
            params![
                app_id,
                api_base,
                session.as_ref().map(|session| &session.id),
                session.as_ref().and_then(|session| session.sequence).map(signed),
                session.as_ref().map(|session| signed(session.began.as_ms())),
            ],
        )?;
    }
    if let Some(token) = &changes.token {
        let (value, expires) =
            (token.as_ref().map(|token| token.token.expose()), token.as_ref().map(|token| signed(token.expires.as_ms())));
        db.execute(
            "UPDATE bot SET token = ?3, token_expires = ?4 WHERE app_id = ?1 AND api_base = ?2",
            params![app_id, api_base, value, expires],
        )?;
    }
    if let Some(address) = &changes.address {
        let (url, learned) =
            (address.as_ref().map(|address| &address.url), address.as_ref().map(|address| signed(address.learned.as_ms())));
        db.execute(
            "UPDATE bot SET address = ?3, address_learned = ?4 WHERE app_id = ?1 AND api_base = ?2",
            params![app_id, api_base, url, learned],
        )?;
    }
    if let Some(SavedAllowance { remaining, reset, max_concurrency }) = changes.allowance {
        db.execute(
            "UPDATE bot SET allowance_remaining = ?3, allowance_reset = ?4, allowance_max_concurrency = ?5 WHERE app_id = ?1 AND api_base = ?2",
            params![app_id, api_base, signed(remaining), signed(reset.as_ms()), signed(max_concurrency)],
        )?;
    }
    if let Some(last) = changes.attempts.last() {
        // Those from a future that far were written by a clock that has been mended since.
        let (now, span) = (last.at.as_ms(), Memory::ATTEMPT_AGE_MS_MAX);
        let (oldest, newest) = (signed(now.saturating_sub(span)), signed(now.saturating_add(span)));
        db.execute("DELETE FROM attempt WHERE at < ?1 OR at > ?2", params![oldest, newest])?;
    }
    for SavedAttempt { kind, at } in &changes.attempts {
        db.execute(
            "INSERT INTO attempt (app_id, api_base, at, kind) VALUES (?1, ?2, ?3, ?4)",
            params![app_id, api_base, signed(at.as_ms()), name(*kind)],
        )?;
    }
    Ok(())
}

fn read_bot(row: &Row<'_>) -> rusqlite::Result<Memory> {
    let text = |column: &str| row.get::<_, Option<String>>(column);
    let session = text("session_id")?.zip(time(row, "session_began")?);
    let sequence = number(row, "session_sequence")?;
    let token = text("token")?.zip(time(row, "token_expires")?);
    let address = text("address")?.zip(time(row, "address_learned")?);
    let allowance = number(row, "allowance_remaining")?.zip(time(row, "allowance_reset")?);
    let max_concurrency = number(row, "allowance_max_concurrency")?.unwrap_or(1);
    Ok(Memory {
        session: session.map(|(id, began)| SavedSession { id, sequence, began }),
        token: token.map(|(token, expires)| SavedToken { token: AccessToken::new(token), expires }),
        address: address.map(|(url, learned)| SavedAddress { url, learned }),
        allowance: allowance.map(|(remaining, reset)| SavedAllowance { remaining, reset, max_concurrency }),
        attempts: Vec::new(),
    })
}

fn number(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<u64>> {
    Ok(row.get::<_, Option<i64>>(column)?.and_then(|number| u64::try_from(number).ok()))
}

fn time(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<Timestamp>> {
    Ok(number(row, column)?.map(Timestamp::from_ms))
}

/// The database knows signed numbers only; none of ours comes near their end.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

const KINDS: [AttemptKind; 4] = [AttemptKind::TokenRequest, AttemptKind::LookUp, AttemptKind::Connect, AttemptKind::Identify];

fn name(kind: AttemptKind) -> &'static str {
    match kind {
        AttemptKind::TokenRequest => "token request",
        AttemptKind::LookUp => "look-up",
        AttemptKind::Connect => "connect",
        AttemptKind::Identify => "identify",
    }
}
