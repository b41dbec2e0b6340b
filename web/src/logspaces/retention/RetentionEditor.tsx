/** The editor of a retention, with a preview of what a change would remove. */
import { Button } from '@mantine/core';
import { useDebouncedValue, useElementSize } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { IconBookmark } from '@tabler/icons-react';
import { SelectField, TextField } from '../../ui/Fields';
import { Table } from '../../ui/Table';
import { Form } from '../../ui/Form';
import { changeLogspace } from '../../api/logspaces';
import type { Histogram, LogspaceInfo } from '../../api/model';
import { PartLoadError } from '../../ui/PageLoadError';
import { Notice } from '../../ui/Notice';
import { formatBytes, formatCount, formatMessages, formatShort } from '../../ui/number';
import { partsOf, useZone } from '../../ui/time';
import { useRevisionLive } from '../useRevisionLive';
import { savedSearchesQuery } from '../../api/savedSearches';
import { type Growth, storedBytes, whenFull } from '../growth/growth';
import { heldQuery, lossQuery, previewQuery } from '../queries';
import { cutOf, lookingBack, lossesOf } from './cut';
import {
  type Field,
  type Fields,
  ageUnits,
  fieldsOf,
  limitsOf,
  retentionText,
  sizeUnits,
  textOf,
  wrongWith,
} from './limits';
import { verdictOf } from './verdict';
import classes from './Retention.module.css';

const WAIT_MS = 300;

type Props = { info: LogspaceInfo; growth: Growth | undefined; may: boolean };

export function RetentionEditor({ info, growth, may }: Props) {
  const [zone] = useZone();
  const held = useQuery(heldQuery(info.id));
  const draft = useRetentionDraft(info, may);
  const { fields, live, wanted, isRight, isChanged, preview, shown, gone, apply, change } = draft;
  const cut = held.data === undefined ? null : cutOf(held.data, gone);
  const verdict = verdictOf(
    {
      ...{ isChanged, isRight, preview: draft.isKnown ? shown : undefined },
      ...{ wanted: limitsOf(wanted), live: limitsOf(info.retention) },
    },
    zone,
  );
  return (
    <Form
      className="stack gap12"
      onSubmit={() => draft.isReady && !apply.isPending && apply.mutate()}
    >
      <div className={classes.fields}>
        <Limit
          label="Keep at most"
          field={fields.age}
          live={live.age}
          units={ageUnits}
          disabled={!may}
          onChange={(age) => change({ age })}
        />
        <Limit
          label="and at most"
          field={fields.size}
          live={live.size}
          units={sizeUnits.map((value) => ({ value, label: value }))}
          disabled={!may}
          onChange={(size) => change({ size })}
        />
        <dl className={classes.after}>
          <dt>Disk after</dt>
          <dd>
            <b>{formatBytes(storedBytes(info) - (shown?.bytes ?? 0))}</b>
            {gone > 0 && ` of ${formatBytes(storedBytes(info))}`}
            {', '}
            {fullText(info, growth, isRight ? wanted : info.retention, shown?.bytes ?? 0)}
          </dd>
        </dl>
      </div>
      {preview.error !== null && isChanged && isRight && (
        <PartLoadError
          what="The preview"
          error={preview.error}
          onRetry={() => void preview.refetch()}
        />
      )}
      {may && preview.error === null && (
        <p className={classes.verdict} data-tone={verdict.tone} role="status">
          {verdict.text}
        </p>
      )}
      <PartLoadError what="The chart" error={held.error} onRetry={() => void held.refetch()} />
      {held.data !== undefined && (
        <HeldBars held={held.data} cutBars={cut?.bars ?? 0} cutTime={cut?.time ?? null} />
      )}
      {gone > 0 && cut !== null && cut.time !== null && (
        <RetentionLosses id={info.id} cut={cut.time} />
      )}
      {apply.error !== null && (
        <Notice tone="error" title={apply.error.message}>
          Nothing is changed.
        </Notice>
      )}
      {isChanged && <Foot id={info.id} draft={draft} />}
    </Form>
  );
}

type RetentionDraft = ReturnType<typeof useRetentionDraft>;

/** The limits as entered in the form, and the server's preview of what they would remove. */
function useRetentionDraft(info: LogspaceInfo, may: boolean) {
  const cache = useQueryClient();
  const announce = useRevisionLive();
  const live = fieldsOf(info.retention);
  const [written, setWritten] = useState<Fields | null>(null);
  const [typed, setTyped] = useState('');
  const fields = written ?? live;
  const wanted = textOf(fields);
  const isRight = wrongWith(fields.age) === undefined && wrongWith(fields.size) === undefined;
  const isChanged = JSON.stringify(wanted) !== JSON.stringify(textOf(live));
  const [settled] = useDebouncedValue(wanted, WAIT_MS);
  const isSettled = JSON.stringify(settled) === JSON.stringify(wanted);
  const preview = useQuery(
    previewQuery(info.id, settled, may && isChanged && isRight && isSettled),
  );
  const isKnown = isSettled && preview.data !== undefined && !preview.isPlaceholderData;
  const shown = isChanged && isRight ? preview.data : undefined;
  const gone = shown?.messages ?? 0;
  const apply = useMutation({
    mutationFn: () =>
      changeLogspace(
        info.id,
        wanted,
        info.durability ?? 'fsync',
        `retention of \`${info.id}\`: ${retentionText(wanted)}`,
      ),
    onSuccess: async ({ revision }) => {
      void cache.invalidateQueries({ queryKey: ['logspace', info.id] });
      setWritten(null);
      setTyped('');
      await announce(revision, `${info.id} keeps ${retentionText(wanted)}`);
    },
  });
  return {
    ...{ live, fields, wanted, isRight, isChanged, preview, isKnown, shown, apply },
    /** The number of messages that would be deleted. */
    gone,
    /** The name of the logspace as typed, to confirm that messages are deleted. */
    typed,
    onType: setTyped,
    isReady: isChanged && isRight && isKnown && (gone === 0 || typed.trim() === info.id),
    change: (part: Partial<Fields>) => {
      setWritten({ ...fields, ...part });
      setTyped('');
      apply.reset();
    },
    reset: () => setWritten(null),
  };
}

function Foot({ id, draft }: { id: string; draft: RetentionDraft }) {
  const { gone, typed, isReady, apply, onType, reset } = draft;
  return (
    <div className="row wrap justifyEnd gap8 padTop12 lineTop">
      {gone > 0 && (
        <label className={classes.confirm}>
          <span>
            Type <b>{id}</b> to delete {formatMessages(gone)}
          </span>
          <TextField size="xs" exact value={typed} onChange={onType} />
        </label>
      )}
      <Button onClick={reset}>Cancel</Button>
      <Button
        variant="filled"
        type="submit"
        disabled={!isReady}
        loading={apply.isPending}
        {...(gone > 0 && { color: 'red' })}
      >
        Apply as a revision
      </Button>
    </div>
  );
}

type LimitProps = {
  label: string;
  field: Field;
  live: Field;
  units: readonly { value: string; label: string }[];
  disabled: boolean;
  onChange: (field: Field) => void;
};

function Limit({ label, field, live, units, disabled, onChange }: LimitProps) {
  const unit = units.find(({ value }) => value === live.unit)?.label ?? live.unit;
  const isChanged = field.amount !== live.amount || field.unit !== live.unit;
  // The current unit can be kept even if it is not among the choices.
  const offered = units.some(({ value }) => value === live.unit)
    ? units
    : [...units, { value: live.unit, label: live.unit }];
  return (
    <div className={classes.limit}>
      <TextField
        size="xs"
        label={label}
        placeholder="no limit"
        inputMode="numeric"
        disabled={disabled}
        value={field.amount}
        error={wrongWith(field)}
        onChange={(text) => onChange({ ...field, amount: text })}
      />
      <SelectField
        className={classes.unit ?? ''}
        aria-label={`Unit of ${label.toLowerCase()}`}
        disabled={disabled}
        value={field.unit}
        data={offered.map((one) => ({ ...one }))}
        onChange={(value) => onChange({ ...field, unit: value })}
      />
      {isChanged && (
        <span className={classes.was}>
          was {live.amount === '' ? 'without limit' : `${live.amount} ${unit}`}
        </span>
      )}
    </div>
  );
}

function fullText(
  info: LogspaceInfo,
  growth: Growth | undefined,
  wanted: { age?: string | null; size?: string | null },
  goneBytes: number,
): string {
  const growing = {
    id: info.id,
    bytes: storedBytes(info) - goneBytes,
    perDay: growth?.typical ?? null,
    limits: limitsOf(wanted),
  };
  const full = whenFull([growing], null).get(info.id) ?? { kind: 'unknown' };
  switch (full.kind) {
    case 'unknown':
      return 'not enough history to say more';
    case 'at-limit':
      return 'at its limit: the oldest go as new ones come';
    case 'never':
      return wanted.size == null && wanted.age == null
        ? 'grows without limit'
        : 'stays below its limit';
    case 'days':
      return `its limit is reached in ${full.days} d`;
  }
}

const NAMED_MAX = 5;

/**
 * The consequences of a retention: saved searches that are affected, and hosts and programs that
 * lose their history.
 */
function RetentionLosses({ id, cut }: { id: string; cut: number }) {
  const [now] = useState(Date.now);
  const saved = useQuery(savedSearchesQuery);
  const gone = useQuery(lossQuery(id, new Date(cut).toISOString(), true));
  const all = useQuery(lossQuery(id, null, true));
  const further = lookingBack(saved.data ?? [], id, cut, now);
  const error = saved.error ?? gone.error ?? all.error;
  const losses = lossesOf(gone.data ?? {}, all.data ?? {});
  return (
    <div className={classes.missed}>
      <div className="flex gap8">
        <IconBookmark size={16} aria-hidden />
        <div>
          <b>{headOf(further.length)}</b>
          <p className="dimmed">{namesOf(further.map(({ name }) => name))}</p>
        </div>
      </div>
      <PartLoadError what="The list of losses" error={error} onRetry={() => void gone.refetch()} />
      {losses.length > 0 && (
        <div className={classes.scroll} tabIndex={0} role="group" aria-label="Losses">
          <Table heads={['Lost', 'Messages', 'Of its history']}>
            {losses.map(({ field, value, messages, of, isAll }) => (
              <tr key={`${field} ${value}`}>
                <th scope="row" title={value}>
                  {value} <span className="dimmed">{field}</span>
                </th>
                <td>{formatShort(messages)}</td>
                <td className={isAll ? 'bold bad' : undefined}>
                  {isAll ? 'all of it' : `${Math.round((100 * messages) / of)} %`}
                </td>
              </tr>
            ))}
          </Table>
        </div>
      )}
    </div>
  );
}

function headOf(count: number): string {
  if (count === 0) return 'No saved search looks further back';
  return count === 1
    ? '1 saved search looks further back'
    : `${count} saved searches look further back`;
}

function namesOf(names: readonly string[]): string {
  const more = names.length - NAMED_MAX;
  const shown = names.slice(0, NAMED_MAX).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

const HEIGHT = 120;

type HeldBarsProps = {
  held: Histogram;
  /** The number of bars to delete; the last may be deleted partly. */
  cutBars: number;
  cutTime: number | null;
};

/** The contents of a logspace over time. The part that a retention would delete is hatched. */
function HeldBars({ held, cutBars, cutTime }: HeldBarsProps) {
  const { ref, width } = useElementSize();
  const [zone] = useZone();
  const id = useId();
  const { buckets } = held;
  if (buckets.length === 0) return <p className="dimmed">It holds no messages yet.</p>;
  const highest = Math.max(...buckets.map(({ count }) => count), 1);
  const step = width / buckets.length;
  const cutAt = cutBars * step;
  const dayOf = (time: string | number) =>
    partsOf(new Date(time).toISOString(), zone)?.date ?? String(time);
  const path = buckets
    .map(({ count }, at) => {
      if (count === 0) return '';
      const height = Math.max((count / highest) * (HEIGHT - 4), 1.5);
      return `M${at * step} ${HEIGHT}v${-height}h${Math.max(step - 1, 0.5)}v${height}z`;
    })
    .join('');
  const deleted = buckets.slice(0, Math.ceil(cutBars)).reduce((sum, { count }) => sum + count, 0);
  const first = buckets[0]?.time ?? '';
  const last = buckets.at(-1)?.time ?? '';
  const label =
    cutTime === null
      ? `Messages from ${dayOf(first)} to ${dayOf(last)}; all are kept`
      : `Messages from ${dayOf(first)} to ${dayOf(last)}; about ${formatCount(deleted)} until ${dayOf(cutTime)} are deleted`;
  return (
    <figure className={classes.chart}>
      <div ref={ref}>
        {width > 0 && (
          <svg width={width} height={HEIGHT} role="img" aria-label={label}>
            <defs>
              <pattern id={`${id}-hatch`} width="6" height="6" patternUnits="userSpaceOnUse">
                <rect className={classes.hatchGround} width="6" height="6" />
                <path className={classes.hatch} d="M-1 1l2-2M0 6l6-6M5 7l2-2" />
              </pattern>
              <clipPath id={`${id}-gone`}>
                <rect width={cutAt} height={HEIGHT} />
              </clipPath>
              <clipPath id={`${id}-kept`}>
                <rect x={cutAt} width={Math.max(width - cutAt, 0)} height={HEIGHT} />
              </clipPath>
            </defs>
            <path className={classes.kept} d={path} clipPath={`url(#${id}-kept)`} />
            {cutTime !== null && (
              <>
                <path
                  className={classes.gone}
                  d={path}
                  fill={`url(#${id}-hatch)`}
                  clipPath={`url(#${id}-gone)`}
                />
                <path className={classes.cut} d={`M${cutAt} 0V${HEIGHT}`} />
              </>
            )}
          </svg>
        )}
      </div>
      <figcaption className={classes.axis}>
        <span>{dayOf(first)}</span>
        {cutTime !== null && <span className="bold bad">deleted until {dayOf(cutTime)}</span>}
        <span>{dayOf(last)}</span>
      </figcaption>
      <p className="meta dimmed">
        By the times of the messages. Age counts from when they were received.
      </p>
    </figure>
  );
}
