/** The server: its facts, where it listens, and a report for those who help. */
import { useQuery } from '@tanstack/react-query';
import { useIsAway } from '../../api/freshness';
import { type About, aboutQuery } from '../../api/server';
import { statusQuery } from '../../api/status';
import { formatBytes } from '../../ui/number';
import { address, follow, useOpen } from '../../ui/open';
import { formatAge, formatTime, useZone } from '../../ui/time';
import { PagePart } from '../PagePart';
import { TableFrame } from '../TableFrame';
import { SupportReport } from './SupportReport';
import classes from '../Admin.module.css';
import own from './Server.module.css';

export function ServerTab() {
  const { data, error, refetch } = useQuery(aboutQuery);
  return (
    <>
      <PagePart
        label="Facts about this server"
        title="About this server"
        isLoading={data === undefined}
        error={error}
        onRetry={() => void refetch()}
      >
        {data !== undefined && <Facts about={data} />}
      </PagePart>
      {error === null && <Listeners web={data?.listeners} />}
      <SupportReport />
    </>
  );
}

function Facts({ about }: { about: About }) {
  const [zone] = useZone();
  const open = useOpen();
  const { memory_bytes, resident_bytes } = about;
  const bytes = (size: number | null) => (size === null ? 'unknown' : formatBytes(size));
  return (
    <dl className={own.facts} onClick={(event) => follow(event, open)}>
      <dt>Version</dt>
      <dd>
        Logstead {about.version}, free software under the{' '}
        <a href={address('/help', { doc: 'licences' })}>Apache License 2.0</a>
      </dd>
      <dt>Running since</dt>
      <dd>
        {formatTime(about.started, zone).slice(0, 19)}, started{' '}
        {formatAge(about.started, Date.parse(about.time))}, process {about.pid}
      </dd>
      <dt>Machine</dt>
      <dd>
        {about.host}, {about.system}, {about.cores} {about.cores === 1 ? 'core' : 'cores'}
      </dd>
      <dt>Memory</dt>
      <dd>
        {bytes(resident_bytes)} in use of {bytes(memory_bytes)};{' '}
        {formatBytes(about.memory_budget_bytes)} are divided ({about.memory_budget_origin})
      </dd>
      <dt>Data</dt>
      <dd>
        <code>{about.data}</code>
      </dd>
    </dl>
  );
}

function Listeners({ web }: { web: About['listeners'] | undefined }) {
  const { data } = useQuery(statusQuery);
  const isAway = useIsAway();
  const sources = (data?.sources ?? []).flatMap(({ id, listeners }) =>
    listeners.map((listener) => ({ ...listener, owner: `source ${id}` })),
  );
  return (
    <PagePart label="Listeners" isLoading={web === undefined}>
      {web !== undefined && (
        <TableFrame label="List of listeners">
          <thead>
            <tr>
              <th scope="col">Address</th>
              <th scope="col">For</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {web.map(({ serves, url }) => (
              <tr key={url}>
                <td>
                  <code>{url}</code>
                </td>
                <td>{servesText(serves)}</td>
                <td>{isAway ? 'not known' : 'open'}</td>
              </tr>
            ))}
            {sources.map(({ owner, url, state, error }) => (
              <tr key={`${owner} ${url}`}>
                <td>
                  <code>{url}</code>
                </td>
                <td>{owner}</td>
                <td className={own.value}>
                  <span className={state === 'failed' ? classes.bad : undefined}>
                    {isAway ? 'not known' : state}
                  </span>
                  {error !== null && <p>{error}</p>}
                </td>
              </tr>
            ))}
          </tbody>
        </TableFrame>
      )}
    </PagePart>
  );
}

function servesText(serves: string): string {
  switch (serves) {
    case 'redirect':
      return 'redirect to HTTPS';
    case 'metrics':
      return 'metrics without a login';
    default:
      return 'console and API';
  }
}
