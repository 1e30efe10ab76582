//! Files: what was uploaded, in one piece or in blocks, and until when it can be sent.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest as _, Md5};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::{Failure, invalid_body};
use super::clock::Millis;
use super::identity::IdSource;
use super::settings::Settings;
use super::ticket::Scene;
use super::webhook::hex;

/// Files and uploads under way.
#[derive(Debug)]
pub(super) struct FileBook {
    ttl_ms: Option<u64>,
    bytes_max: u64,
    block_bytes: u64,
    first_index: u64,
    files: BTreeMap<String, File>,
    uploads: BTreeMap<String, Upload>,
}

#[derive(Debug)]
struct File {
    in_group: bool,
    ends_at: Option<Millis>,
}

#[derive(Debug)]
struct Upload {
    scene: Scene,
    file_bytes: u64,
    parts: BTreeMap<u64, Part>,
}

#[derive(Debug)]
enum Part {
    Waiting { bytes: u64 },
    Put { bytes: u64, md5: String },
    Finished,
}

/// The body of `POST …/files`.
#[derive(Debug, Deserialize)]
struct FileRequest {
    file_type: i64,
    url: Option<String>,
    file_data: Option<String>,
    upload_id: Option<String>,
    #[serde(default)]
    srv_send_msg: bool,
}

#[derive(Debug, Deserialize)]
struct PrepareRequest {
    file_type: i64,
    file_size: String,
    file_name: String,
    md5: String,
    sha1: String,
}

#[derive(Debug, Deserialize)]
struct FinishRequest {
    upload_id: String,
    part_index: u64,
    block_size: String,
    md5: String,
}

/// A file that can be sent.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) body: Value,
    /// Whether the request asks to send it at once.
    pub(super) send: bool,
}

impl FileBook {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            ttl_ms: (settings.file_ttl_s > 0).then_some(settings.file_ttl_s * 1000),
            bytes_max: settings.file_bytes_max,
            block_bytes: settings.upload_block_bytes.max(1),
            first_index: settings.upload_first_index,
            files: BTreeMap::new(),
            uploads: BTreeMap::new(),
        }
    }

    /// `POST …/files`. A `url` is taken on its word: nothing is fetched.
    pub(super) fn store(&mut self, scene: &Scene, body: &[u8], ids: &mut IdSource, now: Millis) -> Result<Stored, Failure> {
        let request: FileRequest = parse(body)?;
        check_type(request.file_type)?;
        let mut answer = json!({});
        match (&request.url, &request.file_data, &request.upload_id) {
            (Some(url), None, None) if url.starts_with("http://") || url.starts_with("https://") => {}
            (Some(_), None, None) => return Err(Failure::with(400, 850_026, 40_034_001, "富媒体文件下载失败")),
            (None, Some(data), None) => {
                let bytes = STANDARD.decode(data).map_err(|_| invalid_body("file_data is not base64"))?;
                self.check_size(bytes.len() as u64)?;
            }
            (None, None, Some(upload)) => {
                self.complete(scene, upload)?;
                if request.file_type != 4 {
                    answer["raw_url"] = json!(format!("https://multimedia.nt.qq.com.cn/download?fileid={upload}"));
                }
            }
            _ => return Err(invalid_body("exactly one of url, file_data and upload_id is expected")),
        }
        let info = format!("AE86{}", ids.trace());
        answer["file_uuid"] = json!(ids.uuid());
        answer["file_info"] = json!(info);
        answer["ttl"] = json!(self.ttl_ms.unwrap_or(0) / 1000);
        let file = File { in_group: in_group(scene), ends_at: self.ttl_ms.map(|ttl| now + ttl) };
        self.files.insert(info, file);
        Ok(Stored { body: answer, send: request.srv_send_msg })
    }

    /// Whether a message in `scene` may carry the file; one of the other kind of scene is as bad as an expired one.
    pub(super) fn check(&self, scene: &Scene, file_info: &str, now: Millis) -> Result<(), Failure> {
        let file = self.files.get(file_info);
        let good = file.is_some_and(|file| file.in_group == in_group(scene) && file.ends_at.is_none_or(|end| now < end));
        if good { Ok(()) } else { Err(Failure::new(304_080, "文件信息无效")) }
    }

    /// `POST …/upload_prepare`. The blocks' addresses begin with `base`.
    pub(super) fn prepare(&mut self, scene: &Scene, body: &[u8], base: &str, ids: &mut IdSource) -> Result<Value, Failure> {
        let request: PrepareRequest = parse(body)?;
        check_type(request.file_type)?;
        let size: u64 = request.file_size.parse().map_err(|_| invalid_body("file_size is not a number in a string"))?;
        if size == 0 || request.file_name.is_empty() || request.md5.len() != 32 || request.sha1.len() != 40 {
            return Err(invalid_body("file_size, file_name, md5 and sha1 are needed"));
        }
        self.check_size(size)?;
        let id = ids.uuid();
        let blocks = size.div_ceil(self.block_bytes);
        let parts: BTreeMap<u64, Part> = (0..blocks)
            .map(|block| {
                let bytes = self.block_bytes.min(size - block * self.block_bytes);
                (block + self.first_index, Part::Waiting { bytes })
            })
            .collect();
        let listed: Vec<Value> = (0..blocks)
            .map(|block| {
                let index = block + self.first_index;
                let bytes = self.block_bytes.min(size - block * self.block_bytes);
                json!({"index": index, "presigned_url": format!("{base}/_upload/{id}/{index}"), "block_size": bytes.to_string()})
            })
            .collect();
        let upload = Upload { scene: scene.clone(), file_bytes: size, parts };
        self.uploads.insert(id.clone(), upload);
        Ok(json!({
            "upload_id": id,
            "block_size": self.block_bytes.to_string(),
            "parts": listed,
            "upload_config": {"concurrency": 1, "retry_timeout": 300, "retry_delay": 1},
        }))
    }

    /// A block put to its address. Says whether there is such a place and the length is right.
    pub(super) fn put(&mut self, upload: &str, index: u64, block: &[u8]) -> Result<(), Failure> {
        let part = self.uploads.get_mut(upload).and_then(|upload| upload.parts.get_mut(&index));
        let Some(part) = part else {
            return Err(Failure::with(404, 40_093_001, 40_093_001, "文件上传失败，请重试"));
        };
        let wanted = match part {
            Part::Waiting { bytes } | Part::Put { bytes, .. } => *bytes,
            Part::Finished => return Err(Failure::new(40_093_001, "文件上传失败，请重试")),
        };
        if block.len() as u64 != wanted {
            return Err(Failure::new(40_093_001, "文件上传失败，请重试"));
        }
        let md5 = hex(&Md5::digest(block));
        *part = Part::Put { bytes: wanted, md5 };
        Ok(())
    }

    /// `POST …/upload_part_finish`.
    pub(super) fn finish(&mut self, scene: &Scene, body: &[u8]) -> Result<Value, Failure> {
        let request: FinishRequest = parse(body)?;
        let failed = || Failure::new(40_093_001, "文件上传失败，请重试");
        let upload = self.uploads.get_mut(&request.upload_id).filter(|upload| upload.scene == *scene);
        let part = upload.and_then(|upload| upload.parts.get_mut(&request.part_index)).ok_or_else(failed)?;
        match part {
            Part::Put { bytes, md5 } if md5.eq_ignore_ascii_case(&request.md5) && request.block_size == bytes.to_string() => {
                *part = Part::Finished;
                Ok(json!({}))
            }
            Part::Put { .. } | Part::Waiting { .. } | Part::Finished => Err(failed()),
        }
    }

    fn complete(&mut self, scene: &Scene, upload: &str) -> Result<(), Failure> {
        let known = self.uploads.get(upload).filter(|known| known.scene == *scene);
        let whole = known.is_some_and(|known| known.file_bytes > 0 && known.parts.values().all(|part| matches!(part, Part::Finished)));
        if !whole {
            return Err(Failure::new(40_093_001, "文件上传失败，请重试"));
        }
        self.uploads.remove(upload);
        Ok(())
    }

    fn check_size(&self, bytes: u64) -> Result<(), Failure> {
        if bytes > self.bytes_max {
            return Err(Failure::new(850_031, "上传文件超过大小限制"));
        }
        Ok(())
    }
}

fn in_group(scene: &Scene) -> bool {
    match scene {
        Scene::Group(_) => true,
        Scene::User(_) => false,
    }
}

/// 1 image, 2 video, 3 voice, 4 file.
fn check_type(file_type: i64) -> Result<(), Failure> {
    if (1..=4).contains(&file_type) {
        return Ok(());
    }
    Err(Failure::with(400, 850_019, 40_034_002, "富媒体文件格式不支持"))
}

fn parse<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(|error| invalid_body(&error.to_string()))
}
