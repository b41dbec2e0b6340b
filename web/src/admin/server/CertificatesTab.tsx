/** Every file of certificates that is in use, and how long it is good. */
import { useQuery } from '@tanstack/react-query';
import { type CertificateFile, certificatesQuery } from '../../api/status';
import { formatTime, useZone } from '../../ui/time';
import { PagePart, TableFrame } from '../PagePart';
import { type Validity, validityOf } from './validity';
import classes from '../Admin.module.css';
import own from './Server.module.css';

type Certificate = CertificateFile['certificates'][number];

const tones: Record<Validity['tone'], string | undefined> = {
  good: undefined,
  warn: classes.warn,
  bad: classes.bad,
};

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
      <Facts certificate={certificate} now={now} />
    </tr>
  ));
}

function Facts({ certificate, now }: { certificate: Certificate; now: number }) {
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
