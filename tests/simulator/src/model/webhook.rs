//! Signatures of webhook mode (QQ bot docs, dev-prepare/interface-framework/sign, 2025-04-21 and July 2026).

use ed25519_dalek::{Signer, SigningKey};

/// The Ed25519 key of a bot: its secret, repeated until 32 bytes are full, is the seed.
#[must_use]
pub fn signing_key(secret: &str) -> SigningKey {
    let mut seed = [0_u8; 32];
    for (place, byte) in seed.iter_mut().zip(secret.bytes().cycle()) {
        *place = byte;
    }
    SigningKey::from_bytes(&seed)
}

/// The signature over `parts`, joined, as lower-case hex. A push signs the time stamp and the body.
#[must_use]
pub fn sign(secret: &str, parts: &[&[u8]]) -> String {
    let signature = signing_key(secret).sign(&parts.concat());
    hex(&signature.to_bytes())
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::{hex, sign, signing_key};

    /// Vectors of QQ bot docs, event-emit (1) and sign (2), 2025-04-21, and of the official Go SDK's signature test (3).
    #[test]
    fn the_published_vectors_come_out() {
        let event_ts: &[u8] = b"1725442341";
        assert_eq!(
            sign("DG5g3B4j9X2KOErG", &[event_ts, b"Arq0D5A61EgUu4OxUvOp"]),
            "87befc99c42c651b3aac0278e71ada338433ae26fcb24307bdc5ad38c1adc2d01bcfcadc0842edac85e85205028a1132afe09280305f13aa6909ffc2d652c706"
        );
        // The docs print this body on one line; only the indented bytes verify.
        assert_eq!(
            sign("naOC0ocQE3shWLAfffVLB1rhYPG7", &[event_ts, b"{\n  \"op\": 0,\n  \"d\": {},\n  \"t\": \"GATEWAY_EVENT_NAME\"\n}"]),
            "865ad13a61752ca65e26bde6676459cd36cf1be609375b37bd62af366e1dc25a8dc789ba7f14e017ada3d554c671a911bfdf075ba54835b23391d509579ed002"
        );
        let body = r#"{"id":"ROBOT1.0_veoihSEXDc8Q.g-6eLpNIa11bH8MisOjn-m-LKxCPntMk6exUXgcWCGpVO7L2QKTNZzjZzFFDSbiOFcqAPWyVA!!","content":"哦一下","timestamp":"2024-10-15T16:33:15+08:00","author":{"id":"675860273","user_openid":"675860273"}}"#;
        assert_eq!(
            sign("123456abcdef", &[b"1728981195", body.as_bytes()]),
            "e949b5b94ef4103df903fb031d1d16e358db3db83e79e117edd404c8508be3ce8a76d7bad1bed353194c126a1a5915b4ad8b5288c1191cc53a12acffccd82004"
        );
    }

    #[test]
    fn the_public_keys_of_the_vectors_come_out() {
        let public = |secret| hex(signing_key(secret).verifying_key().as_bytes());
        assert_eq!(public("DG5g3B4j9X2KOErG"), "8b28ded5630f9051c205dd04c6ec56ad0b08b8812b2fe30ee9aece0ab41926f3");
        assert_eq!(public("naOC0ocQE3shWLAfffVLB1rhYPG7"), "d7c362fe78aef81ff23287b493628b5db02a3c4fe30b215e4d19609b5d76673a");
    }
}
