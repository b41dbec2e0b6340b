/** The server: its facts, where it listens, and a report for those who help. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { IconDownload, IconFileText } from '@tabler/icons-react';
import { useState } from 'react';
import { useIsAway } from '../../api/freshness';
import { type About, aboutQuery, statusQuery, supportReport } from '../../api/status';
import { formatBytes } from '../../ui/number';
import { address, follow, useOpen } from '../../ui/open';
import { formatAge, formatTime, useZone } from '../../ui/time';
import { Copy } from '../../ui/Copy';
import { download } from '../../ui/download';
import { PagePart, TableFrame } from '../PagePart';
import { fileName, sectionsOf } from './report';
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
        <TableFrame label="List of listeners" heads={['Address', 'For', 'State']}>
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

/** The report is read here before it is saved: what is saved is what is shown. */
function SupportReport() {
  const make = useMutation({ mutationFn: supportReport });
  const text = make.data;
  return (
    <PagePart
      label="Support report"
      tools={
        <>
          {text !== undefined && (
            <>
              <Copy what="the report" text={text} />
              <Button
                variant="filled"
                leftSection={<IconDownload size={16} aria-hidden />}
                onClick={() =>
                  download(new Blob([text], { type: 'text/plain' }), fileName(new Date()))
                }
              >
                Save
              </Button>
            </>
          )}
          <Button
            leftSection={<IconFileText size={16} aria-hidden />}
            loading={make.isPending}
            onClick={() => make.mutate()}
          >
            {text === undefined ? 'Make a report' : 'Make it again'}
          </Button>
        </>
      }
      error={make.error}
      onRetry={() => make.mutate()}
    >
      <p className={own.lead}>
        Everything that helps to find out what is wrong: settings, router document, states,
        counters, senders and the newest lines of the server’s own log. It holds no passwords,
        tokens, keys or messages, but names of hosts and addresses: read it before you hand it on.
      </p>
      {text !== undefined && <Report text={text} />}
    </PagePart>
  );
}

function Report({ text }: { text: string }) {
  const sections = sectionsOf(text);
  const [at, setAt] = useState(0);
  const shown = sections[at] ?? sections[0];
  return (
    <div className={own.report}>
      <nav aria-label="Sections of the report">
        {sections.map(({ title, body }, number) => (
          <button
            key={title}
            type="button"
            aria-current={number === at ? 'true' : undefined}
            onClick={() => setAt(number)}
          >
            <span>{title}</span>
            <span className="dimmed">{formatBytes(body.length)}</span>
          </button>
        ))}
      </nav>
      <pre tabIndex={0} role="group" aria-label={shown?.title}>
        {shown?.body}
      </pre>
    </div>
  );
}
