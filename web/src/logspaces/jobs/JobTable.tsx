/** The jobs of the user, or of everybody for an administrator, the newest first. */
import { Button } from '@mantine/core';
import { type Job, isUnfinished } from '../../api/jobs';
import { under } from '../../base';
import { Table, UnseenHead } from '../../ui/Table';
import { formatBytes } from '../../ui/number';
import { formatTime, useZone } from '../../ui/time';
import { progressText } from './checks';
import { useCancelJob } from './useUpkeep';
import classes from '../Logspaces.module.css';

const tones: Partial<Record<Job['state'], string>> = {
  queued: 'busy',
  running: 'busy',
  cancelling: 'busy',
  failed: 'bad',
  interrupted: 'warn',
};

export function JobTable({ jobs }: { jobs: readonly Job[] }) {
  if (jobs.length === 0) return null;
  return (
    <section className="minWidth0 panel round10" aria-label="Jobs">
      <div className={classes.boxHead}>
        <h2>Jobs</h2>
      </div>
      <div className={classes.jobs} tabIndex={0} role="group" aria-label="The newest jobs">
        <Table
          heads={['Job', 'State', 'Progress', 'Started by', 'At', <UnseenHead label="Actions" />]}
        >
          {jobs.map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </Table>
      </div>
    </section>
  );
}

function JobRow({ job }: { job: Job }) {
  const [zone] = useZone();
  const cancel = useCancelJob();
  const { id, kind, logspaces, state, progress, started_by, created_at, problem, result } = job;
  return (
    <tr>
      <th scope="row" title={job.id}>
        {kind} {logspaces.join(', ')}
      </th>
      <td data-tone={tones[state]} title={problem?.detail}>
        {state}
      </td>
      <td>{progressText(progress) || '–'}</td>
      <td>{started_by}</td>
      <td>{formatTime(created_at, zone).slice(0, 19)}</td>
      <td>
        {result?.kind === 'export' && (
          <a href={under(`/api/v1/jobs/${id}/result`)} download={result.name}>
            Download {formatBytes(result.bytes)}
          </a>
        )}
        {isUnfinished(job) && (
          <Button
            size="compact-sm"
            aria-label={`Cancel ${kind} ${logspaces.join(', ')}`}
            disabled={state === 'cancelling'}
            loading={cancel.isPending}
            onClick={() => cancel.mutate(job.id)}
          >
            Cancel
          </Button>
        )}
      </td>
    </tr>
  );
}
