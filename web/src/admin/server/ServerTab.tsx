/** The server: its facts, its listeners, and a report for those who help with it. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { Button, Checkbox } from '@mantine/core';
import { IconDownload, IconFileText } from '@tabler/icons-react';
import { useState } from 'react';
import { useIsAway } from '../../api/freshness';
import {
  type About,
  type CertificateFile,
  type Setting,
  aboutQuery,
  certificatesQuery,
  settingsQuery,
  statusQuery,
  supportReport,
} from '../../api/status';
import { formatBytes } from '../../ui/number';
import { address, follow, useOpen } from '../../ui/open';
import { formatAge, formatTime, useZone } from '../../ui/time';
import { Copy } from '../../ui/Copy';
import { download } from '../../ui/download';
import { Prose } from '../../ui/Prose';
import { FilterField, PagePart, TableFrame } from '../PagePart';
import { countText } from '../accounts/rows';
import { fileName, sectionsOf } from './report';
import { originText, shownSettings } from './settings';
import { type Validity, validityOf } from './validity';
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

/** Shows the report before it is saved: the saved text is the one shown. */
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

type Props = {
  find: string;
  /** Whether only settings that differ from their defaults are shown. */
  changed: boolean;
  onFind: (find: string) => void;
  onChanged: (changed: boolean) => void;
};

/** The settings in force, each with its meaning and the layer that it comes from. */
export function SettingsTab({ find, changed, onFind, onChanged }: Props) {
  const { data, error, refetch } = useQuery(settingsQuery);
  const all = data?.settings ?? [];
  const shown = shownSettings(all, find, changed);
  return (
    <PagePart
      label="Settings"
      title="Settings in force"
      note={data === undefined ? undefined : countText(shown.length, all.length)}
      tools={
        <>
          <Checkbox
            label="Changed only"
            className={own.check ?? ''}
            checked={changed}
            onChange={(event) => onChanged(event.currentTarget.checked)}
          />
          <FilterField
            label="Find a setting"
            placeholder="Name, value, meaning"
            value={find}
            onChange={onFind}
          />
        </>
      }
      isLoading={data === undefined}
      error={error}
      onRetry={() => void refetch()}
    >
      <p className={own.lead}>
        They come from the settings file, the environment and the command line; a later one wins.
        Changes take effect at the next start.
      </p>
      {data !== undefined && shown.length === 0 && (
        <p className={classes.none}>
          {find === ''
            ? 'Every setting is as shipped.'
            : `No ${changed ? 'changed ' : ''}setting matches “${find}”.`}
        </p>
      )}
      {shown.length > 0 && (
        <TableFrame
          label="List of settings"
          className={own.stacked}
          heads={['Setting', 'Value', 'From']}
        >
          {shown.map((setting) => (
            <Row key={setting.key} setting={setting} />
          ))}
        </TableFrame>
      )}
    </PagePart>
  );
}

function Row({ setting }: { setting: Setting }) {
  const { key, value, about, origin } = setting;
  const isChanged = value !== setting.default;
  return (
    <tr>
      <th scope="row" className={own.setting}>
        <code>{key}</code>
        <p>
          <Prose text={about} />
        </p>
      </th>
      <td className={own.value}>
        <code>{value === '' ? 'empty' : value}</code>
        {isChanged && <p>shipped: {setting.default === '' ? 'empty' : setting.default}</p>}
      </td>
      <td className={own.value}>
        <span className={classes.tag} data-tone={origin === 'default' ? undefined : 'strong'}>
          {originText(setting)}
        </span>
      </td>
    </tr>
  );
}

type Certificate = CertificateFile['certificates'][number];

const tones: Record<Validity['tone'], string | undefined> = {
  good: undefined,
  warn: 'bold caution',
  bad: classes.bad,
};

/** Every file of certificates in use, and its validity. */
export function CertificatesTab() {
  const { data, error, refetch, dataUpdatedAt } = useQuery(certificatesQuery);
  return (
    <PagePart
      label="Certificates"
      isLoading={data === undefined}
      error={error}
      onRetry={() => void refetch()}
    >
      {data?.files.length === 0 && (
        <p className={classes.none}>
          No certificate is in use: the console, the sources and the destinations are not encrypted
          by Logstead. <code>logstead tls self-signed</code> makes a first one; the setting{' '}
          <code>web.tls</code> and the TLS settings of a source or destination name it.
        </p>
      )}
      {data !== undefined && data.files.length > 0 && (
        <TableFrame
          label="List of certificates"
          heads={['Used by', 'File', 'Made out to', 'Signed by', 'Good until']}
        >
          {data.files.map((file) => (
            <File key={`${file.owner} ${file.id} ${file.role}`} file={file} now={dataUpdatedAt} />
          ))}
        </TableFrame>
      )}
    </PagePart>
  );
}

function File({ file, now }: { file: CertificateFile; now: number }) {
  const used = (
    <th scope="row" className={own.value} rowSpan={Math.max(file.certificates.length, 1)}>
      {ownerText(file)}
      <p>{roleText(file.role)}</p>
    </th>
  );
  if (file.error !== null) {
    return (
      <tr>
        {used}
        <td colSpan={4} className={own.error}>
          <span className={classes.bad}>{file.error}</span>
          <p>The certificate read before stays in use until this file can be read again.</p>
        </td>
      </tr>
    );
  }
  return file.certificates.map((certificate, at) => (
    <tr key={`${certificate.subject} ${certificate.until}`}>
      {at === 0 && used}
      <td className={own.value}>{at === 0 && <code>{file.file}</code>}</td>
      <CertificatesFacts certificate={certificate} now={now} />
    </tr>
  ));
}

function CertificatesFacts({ certificate, now }: { certificate: Certificate; now: number }) {
  const [zone] = useZone();
  const { subject, names, issuer, until } = certificate;
  const { text, tone } = validityOf(certificate, now);
  return (
    <>
      <td className={own.value}>
        {subject === '' ? 'nobody' : subject}
        {names.length > 0 && <p>{names.join(', ')}</p>}
      </td>
      <td className={own.value}>{issuer === subject ? 'itself' : issuer}</td>
      <td className={own.value}>
        {formatTime(until, zone).slice(0, 10)}
        <p className={tones[tone]}>{text}</p>
      </td>
    </>
  );
}

function ownerText({ owner, id }: CertificateFile): string {
  return owner === 'web' ? 'Console and API' : `${owner} ${id}`;
}

function roleText(role: string): string {
  switch (role) {
    case 'client_ca':
      return 'authorities of senders';
    case 'ca':
      return 'authorities of the server';
    default:
      return 'own certificate';
  }
}
