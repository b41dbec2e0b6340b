//! Exports as jobs: the messages are written to a file, which is kept for a while to be downloaded.
//!
//! **Invariant:** an export never takes space that messages need: it fails while there is room for them, and its file is
//! removed.

use super::access::Call;
use super::error::{ApiError, Result};
use super::export::{ExportPlan, ExportRequest, ExportedTable, MessageExport, NAMED_MAX};
use super::jobs::job::{ExportedFile, Job, JobKind, JobResult};
use super::jobs::start::{JobWork, RunningJob, on_a_thread, start};
use super::question::CallerQuestion;
use super::state::SharedState;
use super::waiting::{blocking, busy};
use crate::problem_type::ProblemType;
use axum::response::Response;
use logstead_questions::store::Cancelled;

/// Starts a job that exports all matching messages to a file, like `GET /api/v1/export`. `GET /api/v1/jobs/{id}/result`
/// downloads the file, which is kept for the time that `storage.export_files_age` says.
#[utoipa::path(
    post, path = "/api/v1/exports", operation_id = "start_export", tag = "search", request_body = ExportRequest,
    responses((status = 202, body = Job, headers(("Location" = String, description = "The address of the job"))))
)]
pub(super) async fn start_export(asked: CallerQuestion<ExportRequest>) -> Result<Response> {
    let CallerQuestion { shared, caller, question, own, .. } = asked;
    let logspaces: Vec<String> = question.logspaces.clone().into_iter().map(|(id, _)| id).collect();
    let name = own.format_or_default().file_name(question.now);
    let plan = ExportPlan::new(&shared, question, own)?;
    let call = Call { shared: shared.clone(), caller };
    let work: JobWork = match plan {
        ExportPlan::Messages(export) => on_a_thread(move |job| export_messages(&shared, *export, job, name)),
        ExportPlan::Table(table) => {
            let asker = call.caller.clone();
            Box::new(move |job| {
                Box::pin(async move {
                    let media_type = table.format.media_type();
                    let made = tokio::select! {
                        made = table.make(&shared, &asker) => made?,
                        () = job.control.cancelled() => return Err(busy("the job was cancelled")),
                    };
                    blocking(move || write_table(&shared, made, &job, media_type, name)).await?
                })
            })
        }
    };
    start(call, JobKind::Export, logspaces, work).await
}

fn export_messages(
    shared: &SharedState,
    export: MessageExport,
    job: RunningJob,
    name: String,
) -> Result<JobResult> {
    let stopped = |Cancelled| busy("the export was ended before it was complete");
    let media_type = export.format.media_type().to_owned();
    let RunningJob { id, control, cancel } = job;
    let mut exporting = export.begin(cancel, false).map_err(stopped)?;
    let total = exporting.reading.is_counted().then(|| exporting.reading.left());
    control.begin(total);
    let mut writer = shared.jobs.files.create(&id)?;
    loop {
        let before = exporting.reading.written();
        let piece = exporting.next_piece().map_err(stopped)?;
        if piece.is_empty() {
            break;
        }
        check_room(shared)?;
        writer.write(&piece)?;
        let messages = exporting.reading.written() - before;
        control.add(messages, messages);
    }
    let (bytes, reading) = (writer.finish()?, &exporting.reading);
    Ok(JobResult::Export(ExportedFile {
        name,
        media_type,
        bytes,
        messages: reading.written(),
        copies: reading.copies(),
        missing: reading.missing(),
        damaged_parts: reading.damaged().len() as u64,
        damaged: reading.damaged().iter().take(NAMED_MAX).cloned().collect(),
    }))
}

fn write_table(
    shared: &SharedState,
    table: ExportedTable,
    job: &RunningJob,
    media_type: &str,
    name: String,
) -> Result<JobResult> {
    let ExportedTable { rows, text, mut damaged, copies } = table;
    check_room(shared)?;
    let mut writer = shared.jobs.files.create(&job.id)?;
    writer.write(&text)?;
    let bytes = writer.finish()?;
    let damaged_parts = damaged.len() as u64;
    damaged.truncate(NAMED_MAX);
    let media_type = media_type.to_owned();
    Ok(JobResult::Export(ExportedFile {
        name,
        media_type,
        bytes,
        messages: rows,
        copies,
        missing: 0,
        damaged_parts,
        damaged,
    }))
}

fn check_room(shared: &SharedState) -> Result<()> {
    match shared.state.pipeline.refuses_extras() {
        Some(reason) => Err(ApiError::new(ProblemType::DiskFull, format!("the export was ended: {reason}"))),
        None => Ok(()),
    }
}
