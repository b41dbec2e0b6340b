/**
 * The steps of a route as cards in their order; one is open at a time. Each shows its effect on
 * real messages.
 */
import { Button, Menu, Textarea } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconChevronUp,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import type { DocumentProblem } from '../../api/model';
import { IconButton } from '../../ui/IconButton';
import { SelectField, TextField } from '../../ui/Fields';
import { formatCount } from '../../ui/number';
import type { Item } from '../document';
import { MessageChanges } from '../../ui/trace/MessageChanges';
import type { StepReport } from '../testing/wire';
import { type StepField, aboutStep, fieldsOf, kindOf, stepKinds } from './steps';
import { readFrom, withSetting, writtenIn } from './stepText';
import classes from './Steps.module.css';

/** The maximum number of steps that the server accepts. */
const STEPS_MAX = 50;

type Props = {
  steps: readonly Item[];
  /** The effect of each step on the most recent messages; empty while it is unknown. */
  reports: readonly StepReport[];
  /** Whether the reports are for an older draft. */
  isOld: boolean;
  problems: readonly DocumentProblem[];
  open: number | null;
  canEdit: boolean;
  onOpen: (step: number | null) => void;
  /** `mark` identifies the field that is being typed in. */
  onChange: (steps: Item[], mark: string | null) => void;
};

export function StepList(props: Props) {
  const { steps, reports, isOld, open, canEdit, onOpen, onChange } = props;
  const [dragged, setDragged] = useState<number | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const move = (from: number, to: number) => {
    const step = steps[from];
    if (step === undefined || to < 0 || to >= steps.length) return;
    onOpen(open === from ? to : null);
    // A card belongs to a position, so the focus is moved along with the step.
    list.current?.children[to]?.querySelector('button')?.focus();
    onChange(steps.toSpliced(from, 1).toSpliced(to, 0, step), null);
  };
  const add = (step: Item) => {
    onOpen(steps.length);
    onChange([...steps, step], null);
  };
  return (
    <section aria-label="Steps">
      <div className="row gap8 minHeight32">
        <h3>Steps</h3>
        {reports.length > 0 && (
          <span className="dimmed">tried on the last {formatCount(reports[0]?.messages ?? 0)}</span>
        )}
        {canEdit && (
          <Menu position="bottom-end" portalProps={{ target: '#content' }}>
            <Menu.Target>
              <Button
                ml="auto"
                variant="subtle"
                size="compact-sm"
                leftSection={<IconPlus size={14} />}
                disabled={steps.length >= STEPS_MAX}
                title={steps.length >= STEPS_MAX ? `A route has at most ${STEPS_MAX} steps` : ''}
              >
                Add step
              </Button>
            </Menu.Target>
            <Menu.Dropdown className={classes.kinds ?? ''}>
              <StepKindItems onAdd={add} />
            </Menu.Dropdown>
          </Menu>
        )}
      </div>
      {steps.length === 0 && <p className="dimmed">Messages are sent on as they came.</p>}
      <ol ref={list} className={classes.steps} data-old={isOld}>
        {steps.map((step, at) => (
          <li
            key={at}
            className={classes.card}
            data-open={open === at}
            draggable={canEdit && open === null}
            onDragStart={() => setDragged(at)}
            onDragOver={(event) => {
              if (dragged !== null) event.preventDefault();
            }}
            onDrop={() => {
              if (dragged !== null) move(dragged, at);
              setDragged(null);
            }}
          >
            <Card {...props} step={step} at={at} onMove={(to) => move(at, to)} />
          </li>
        ))}
      </ol>
    </section>
  );
}

type CardProps = Props & { step: Item; at: number; onMove: (to: number) => void };

function Card({ step, at, steps, reports, problems, open, canEdit, ...props }: CardProps) {
  const kind = kindOf(step);
  const report = reports.find((one) => one.step === at + 1) ?? reports[at];
  const own = problems.filter(({ path }) => path.includes(`steps[${at}]`));
  const error = own.length === 0 ? undefined : own.map(({ message }) => message).join('\n');
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || !canEdit) return;
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    event.stopPropagation();
    props.onMove(event.key === 'ArrowUp' ? at - 1 : at + 1);
  };
  return (
    <>
      <button
        type="button"
        className={classes.summary}
        aria-expanded={open === at}
        data-bad={own.length > 0}
        onKeyDown={onKeyDown}
        onClick={() => props.onOpen(open === at ? null : at)}
      >
        <span className="dimmed">{at + 1}</span>
        <b>{kind === '' ? 'unknown step' : kind}</b>
        <span className="grow minWidth0 truncate mono">{aboutStep(step)}</span>
        {report !== undefined && <Effect report={report} />}
        {open === at ? <IconChevronUp size={16} /> : <IconChevronDown size={16} />}
      </button>
      {open === at && (
        <div className={classes.body}>
          <fieldset disabled={!canEdit}>
            <StepFields
              key={at}
              step={step}
              kind={kind}
              error={error}
              onChange={(next) => props.onChange(steps.with(at, next), `step ${at}`)}
            />
          </fieldset>
          {report !== undefined && <Preview report={report} />}
          {canEdit && (
            <div className="row gap4 meta">
              <IconButton
                icon={IconArrowUp}
                label="Move step up"
                disabled={at === 0}
                onClick={() => props.onMove(at - 1)}
              />
              <IconButton
                icon={IconArrowDown}
                label="Move step down"
                disabled={at === steps.length - 1}
                onClick={() => props.onMove(at + 1)}
              />
              <IconButton
                icon={IconTrash}
                label="Remove step"
                onClick={() => {
                  props.onOpen(null);
                  props.onChange(steps.toSpliced(at, 1), null);
                }}
              />
            </div>
          )}
        </div>
      )}
    </>
  );
}

function Effect({ report }: { report: StepReport }) {
  const count = report.changed + report.dropped;
  const width = report.messages === 0 ? 0 : (100 * count) / report.messages;
  return (
    <span className={classes.effect} title={sentence(report)}>
      {formatCount(count)}
      <span className={classes.bar}>
        <span style={{ width: `${width}%` }} />
      </span>
    </span>
  );
}

function Preview({ report }: { report: StepReport }) {
  const [shown, setShown] = useState(0);
  const count = report.examples.length;
  const at = Math.min(shown, count - 1);
  const example = report.examples[at];
  return (
    <section className={classes.preview} aria-label="What the step does">
      <div className="row spread gap8 pad4x8 accent chosen round4">
        <b>{sentence(report)}</b>
        {count > 1 && (
          <span className="row gap4 meta">
            <IconButton
              icon={IconChevronUp}
              iconSize={14}
              size={24}
              label="Example before"
              disabled={at === 0}
              onClick={() => setShown(at - 1)}
            />
            {at + 1} of {count}
            <IconButton
              icon={IconChevronDown}
              iconSize={14}
              size={24}
              label="Next example"
              disabled={at === count - 1}
              onClick={() => setShown(at + 1)}
            />
          </span>
        )}
      </div>
      {example !== undefined && <MessageChanges before={example.before} after={example.after} />}
    </section>
  );
}

function sentence({ messages, changed, dropped, failed }: StepReport): string {
  if (messages === 0) return 'No message reached this step.';
  const of = `of ${formatCount(messages)}`;
  const parts = [
    ...(changed > 0 || dropped === 0 ? [`This step changes ${formatCount(changed)} ${of}.`] : []),
    ...(dropped > 0 ? [`This step drops ${formatCount(dropped)} ${of}.`] : []),
    ...(failed > 0 ? [`It fails on ${formatCount(failed)}, which go on as they are.`] : []),
  ];
  return parts.join(' ');
}

type StepFieldsProps = {
  step: Item;
  kind: string;
  /** The server's problem with the step. */
  error: string | undefined;
  onChange: (step: Item) => void;
};

/** The form of one step. */
function StepFields({ step, kind, error, onChange }: StepFieldsProps) {
  const spec = stepKinds.find((one) => one.kind === kind);
  return (
    <div className="stack gap8">
      <p className="dimmed">
        {spec?.does ?? 'This form does not know this kind of step. Change it in the text.'}
      </p>
      {fieldsOf(step).map((field) => (
        <Field
          key={field.key}
          field={field}
          step={step}
          error={field.key === kind ? error : undefined}
          isNeeded={field.key in (spec?.initial ?? {})}
          onChange={onChange}
        />
      ))}
    </div>
  );
}

type FieldProps = {
  field: StepField;
  step: Item;
  error: string | undefined;
  isNeeded: boolean;
  onChange: (step: Item) => void;
};

function Field({ field, step, error, isNeeded, onChange }: FieldProps) {
  const written = writtenIn(field, step[field.key]);
  // The field keeps the text as typed, even if it is parsed to the same value as a shorter one: `a, `.
  const [typed, setTyped] = useState(written);
  const isMine =
    JSON.stringify(readFrom(field, typed)) === JSON.stringify(readFrom(field, written));
  const value = isMine ? typed : written;
  const change = (text: string) => {
    setTyped(text);
    onChange(withSetting(step, field, text, isNeeded));
  };
  const common = { label: field.label, error, placeholder: field.placeholder ?? '' };
  switch (field.kind) {
    case 'choice':
      return (
        <SelectField
          size="sm"
          label={field.label}
          error={error}
          value={value}
          data={[...(field.choices ?? [])]}
          onChange={change}
        />
      );
    case 'pairs':
      return (
        <Textarea
          {...common}
          autosize
          minRows={1}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={value}
          onChange={(event) => change(event.currentTarget.value)}
        />
      );
    case 'text':
    case 'list':
    case 'number':
      return (
        <TextField {...common} classNames={{ input: 'mono' }} value={value} onChange={change} />
      );
  }
}

/** The kinds of steps that can be added, with what each does. */
function StepKindItems({ onAdd }: { onAdd: (step: Item) => void }) {
  return stepKinds.map(({ kind, does, initial }) => (
    <Menu.Item key={kind} onClick={() => onAdd(initial)}>
      <b>{kind}</b> <span className="dimmed">{does}</span>
    </Menu.Item>
  ));
}
