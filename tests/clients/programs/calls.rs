//! Five calls: the caller, a glossary made, read and deleted, built-in voices.
use dragoman::apis::{configuration::Configuration, glossaries_api, keys_api, voices_api};
use dragoman::models;
use std::env;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut conf = Configuration::new();
    conf.base_path = env::var("BASE_URL").unwrap();
    conf.bearer_access_token = Some(env::var("API_KEY").unwrap());

    keys_api::get_caller(&conf, None).await.unwrap();
    let body = serde_json::json!({ "data": { "name": "Rust terms", "glossary_type": "translation",
        "source_lang": "en", "target_lang": "es" } });
    let body: models::CreateGlossaryRequest = serde_json::from_value(body).unwrap();
    let made = glossaries_api::create_glossary(&conf, body, None, None, None).await.unwrap();
    let id = made.data.glossary_id.to_string();
    let read = glossaries_api::get_glossary(&conf, &id, None, None).await.unwrap();
    assert_eq!(read.data.name, "Rust terms");
    voices_api::list_builtin_voices(&conf, None, None, None, None, None, None, None, None, None, None, None)
        .await
        .unwrap();
    glossaries_api::delete_glossary(&conf, &id, None, None).await.unwrap();
}
