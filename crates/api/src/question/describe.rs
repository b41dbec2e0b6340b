//! Questions in the API description: each kind describes its own parameters, and the common ones are added by this
//! module.

use super::read::{AllowedStages, CommonParameters, QuestionParameters};
use crate::state::SharedState;
use axum::routing::MethodRouter;
use serde_json::json;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};
use utoipa_axum::router::UtoipaMethodRouter;

const QUERY_WITH_STAGES: &str = "In the query language, optionally with stages; empty or `*` means all.";
const QUERY_THAT_STREAMS: &str = "In the query language, optionally with the stages `where`, `extract`, \
                                  `parse`, `eval` and `fields`; empty or `*` means all.";
const STREAMING_EXAMPLE: &str = "program=nginx | parse json | where status>=500";
const STAGES_EXAMPLE: &str = "error | stats count() by host";

/// Describes a question that is asked in the body of a POST.
pub(crate) fn posted<T: QuestionParameters + ToSchema>(
    routes: UtoipaMethodRouter<SharedState>,
) -> UtoipaMethodRouter<SharedState> {
    let (mut schemas, paths, router) = routes;
    let name = T::name();
    let own = schemas.iter_mut().filter(|(of, _)| *of == name);
    own.for_each(|(_, schema)| add_properties::<T>(schema));
    (schemas, paths, router)
}

/// Describes a question that is asked in the query string of a GET.
pub(crate) fn got<T: QuestionParameters + IntoParams>(
    routes: UtoipaMethodRouter<SharedState>,
) -> UtoipaMethodRouter<SharedState> {
    let (schemas, mut paths, router) = routes;
    for operation in paths.paths.values_mut().filter_map(|item| item.get.as_mut()) {
        let own = operation.parameters.get_or_insert_default();
        // Parameters in the path come first.
        let is_in_path = |parameter: &&RefOr<Parameter>| matches!(parameter, RefOr::T(parameter) if parameter.parameter_in == ParameterIn::Path);
        let at = own.iter().take_while(is_in_path).count();
        own.splice(at..at, common_parameters::<T>().map(RefOr::T));
    }
    (schemas, paths, router)
}

/// Describes a question that is asked in the body of a POST or, for curl, in the query string of a GET with the same
/// handler.
pub(crate) fn posted_or_got<T: QuestionParameters + ToSchema + IntoParams>(
    routes: UtoipaMethodRouter<SharedState>,
    get: MethodRouter<SharedState>,
) -> UtoipaMethodRouter<SharedState> {
    let (schemas, mut paths, router) = posted::<T>(routes);
    for item in paths.paths.values_mut() {
        let Some(mut operation) = item.post.clone() else { continue };
        operation.request_body = None;
        operation.operation_id = operation.operation_id.map(|id| format!("{id}_by_get"));
        operation.summary = operation.summary.map(|summary| {
            format!("{}; the same as the POST request, convenient for curl.", summary.trim_end_matches('.'))
        });
        let own = T::into_params(|| Some(ParameterIn::Query));
        operation.parameters = Some(common_parameters::<T>().chain(own).map(RefOr::T).collect());
        item.get = Some(operation);
    }
    (schemas, paths, router.merge(get))
}

fn add_properties<T: QuestionParameters>(schema: &mut RefOr<Schema>) {
    let (RefOr::T(Schema::Object(own)), RefOr::T(Schema::Object(common))) =
        (schema, CommonParameters::schema())
    else {
        return;
    };
    let common = common.properties.into_iter().filter(|(name, _)| T::COMMON.contains(&name.as_str()));
    own.properties.extend(common);
    if let Some((description, example)) = stages_of::<T>()
        && let Some(RefOr::T(Schema::Object(query))) = own.properties.get_mut("query")
    {
        query.description = Some(description.to_owned());
        query.example = Some(json!(example));
    }
}

/// The description of a query with stages, and an example.
fn stages_of<T: QuestionParameters>() -> Option<(&'static str, &'static str)> {
    match T::STAGES {
        AllowedStages::None => None,
        AllowedStages::Streaming => Some((QUERY_THAT_STREAMS, STREAMING_EXAMPLE)),
        AllowedStages::All => Some((QUERY_WITH_STAGES, STAGES_EXAMPLE)),
    }
}

fn common_parameters<T: QuestionParameters>() -> impl Iterator<Item = Parameter> {
    let all = CommonParameters::into_params(|| Some(ParameterIn::Query)).into_iter();
    all.filter(|parameter| T::COMMON.contains(&parameter.name.as_str())).map(|parameter| {
        match stages_of::<T>() {
            Some((description, example)) if parameter.name == "query" => {
                let described = ParameterBuilder::from(parameter).description(Some(description));
                described.example(Some(json!(example))).build()
            }
            _ => parameter,
        }
    })
}
