/**
 * The data that a grant gives access to: how much it is, from which hosts and logspaces, and the
 * newest messages.
 */
import { Button, SegmentedControl } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { logspacesQuery } from '../../api/logspaces';
import type { Message } from '../../api/model';
import type { Grant } from '../../api/users';
import { PartLoadError } from '../../ui/PageLoadError';
import { Loading } from '../../ui/Loading';
import { Notice } from '../../ui/Notice';
import { SeverityBar } from '../../ui/Severity';
import { Spark } from '../../ui/chart/Spark';
import { SmartText } from '../../ui/message/SmartText';
import { formatCount, formatShort } from '../../ui/number';
import { type Zone, partsOf as timeParts, useZone } from '../../ui/time';
import {
  type ScopePreview,
  WAIT_MS,
  type PreviewPart,
  type Span,
  scopePreviewQuery,
  inVain,
  isUnparsed,
  partsOf,
  shareText,
  spans,
} from './preview';
import classes from './Preview.module.css';

const PARTS_SHOWN = 6;

type Props = {
  /** The name in `What would ana see?` */
  who: string;
  grant: Grant;
  /** Changes the logspaces of the grant while it is being edited. */
  onChoose?: (logspaces: readonly string[]) => void;
};

export function Preview({ who, grant, onChoose }: Props) {
  const [span, setSpan] = useState<Span>('24h');
  const [settled] = useDebouncedValue(grant, WAIT_MS);
  const found = useQuery(scopePreviewQuery(settled, span));
  const all = useQuery(scopePreviewQuery(useWhole(settled), span));
  const error = found.error ?? all.error;
  const isOld = found.isPlaceholderData || JSON.stringify(settled) !== JSON.stringify(grant);
  return (
    <section className={classes.preview} aria-label={`What would ${who} see?`}>
      <div className={classes.head}>
        <IconEye size={18} aria-hidden />
        <h3>What would {who} see?</h3>
        <SegmentedControl
          aria-label="In the last"
          value={span}
          data={spans.map((value) => ({ value, label: value }))}
          onChange={(value) => setSpan(spans.find((one) => one === value) ?? span)}
        />
      </div>
      {isUnparsed(found.error) && (
        <p className="dimmed">Nothing can be counted until the filter can be read.</p>
      )}
      {error !== null && !isUnparsed(found.error) && (
        <PartLoadError
          what="The preview"
          error={error}
          onRetry={() => {
            void found.refetch();
            void all.refetch();
          }}
        />
      )}
      {error === null && (found.data === undefined || all.data === undefined) && (
        <Loading heights={[180]} />
      )}
      {error === null && found.data !== undefined && all.data !== undefined && (
        <div className={classes.answer} data-old={isOld} aria-busy={isOld}>
          <Answer {...{ who, grant: settled, span, onChoose }} found={found.data} all={all.data} />
        </div>
      )}
    </section>
  );
}

/**
 * The whole that the grant is compared with. Private logspaces are only included if the grant names
 * them.
 */
function useWhole({ logspaces }: Grant): Grant {
  const { data: known } = useQuery(logspacesQuery);
  const ids = (known ?? []).map(({ id }) => id);
  const compared = ids.filter((id) => !id.startsWith('_') || logspaces?.includes(id) === true);
  return { logspaces: compared.length === 0 ? null : compared, scope: null };
}

type AnswerProps = {
  who: string;
  grant: Grant;
  span: Span;
  found: ScopePreview;
  all: ScopePreview;
  onChoose: Props['onChoose'];
};

function Answer({ who, grant, span, found, all, onChoose }: AnswerProps) {
  const [zone] = useZone();
  const { total, buckets } = found.histogram;
  const parts = partsOf(grant, found, all);
  const vain = inVain(grant, parts);
  const [hosts, allHosts] = [found, all].map(({ fields }) => fields['host']?.distinct ?? 0);
  const whole = all.histogram.total;
  return (
    <>
      <div className={classes.sum}>
        <div>
          <p className={classes.count}>{formatCount(total)}</p>
          <p className="dimmed">
            of {formatShort(whole)} {whole === 1 ? 'message' : 'messages'}
            {total === whole ? '' : `, ${shareText(total, whole)}`}
          </p>
        </div>
        <Spark counts={buckets.map(({ count }) => count)} isLarge />
      </div>
      {total === 0 && (
        <Notice
          tone="caution"
          title={
            whole === 0 ? `Nothing was stored in the last ${span}` : `${who} would see nothing`
          }
        >
          {whole === 0
            ? 'Choose a longer time above.'
            : 'No message of this time is in these logspaces and matches the filter.'}
        </Notice>
      )}
      <dl className="stack gap4">
        <PartRow part={{ name: 'Hosts', count: hosts ?? 0, of: allHosts ?? 0 }} />
        {parts.slice(0, PARTS_SHOWN).map((part) => (
          <PartRow key={part.name} part={part} isVain={vain.includes(part)} />
        ))}
      </dl>
      {total > 0 && vain.length > 0 && (
        <Notice
          tone="caution"
          title={
            <>
              {vain.map(({ name }) => name).join(', ')} {vain.length === 1 ? 'gives' : 'give'} {who}{' '}
              nothing
            </>
          }
        >
          No message there matched the filter in the last {span}.{' '}
          {onChoose !== undefined && (
            <Button
              variant="subtle"
              size="compact-xs"
              onClick={() =>
                onChoose(parts.filter((part) => !vain.includes(part)).map(({ name }) => name))
              }
            >
              Remove
            </Button>
          )}
        </Notice>
      )}
      {found.messages.length > 0 && (
        <ul className="padY4 panel round6" aria-label="Newest messages">
          {found.messages.map((message) => (
            <Line key={message.id} message={message} zone={zone} />
          ))}
        </ul>
      )}
    </>
  );
}

function PartRow({ part, isVain = false }: { part: PreviewPart; isVain?: boolean }) {
  const { name, count, of } = part;
  return (
    <div className={classes.part} data-vain={isVain}>
      <dt className="truncate soft" title={name}>
        {name}
      </dt>
      <dd className="meter" aria-hidden>
        <span style={{ width: `${of === 0 ? 0 : (100 * count) / of}%` }} />
      </dd>
      <dd>
        <b>{formatShort(count)}</b> of {formatShort(of)}
      </dd>
    </div>
  );
}

function Line({ message, zone }: { message: Message; zone: Zone }) {
  const clock = timeParts(message.time, zone)?.clock.slice(0, 8) ?? message.time;
  return (
    <li className={classes.line}>
      <SeverityBar message={message} />
      <time dateTime={message.time}>{clock}</time> {message.host}{' '}
      <SmartText message={message} hits={[]} wrap={false} />
    </li>
  );
}
