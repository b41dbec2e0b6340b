/** The forms for a range without a preset: the last span of any length, or between two moments. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { Form } from '../Form';
import { type TimeRange, resolve, spanMs, units } from '../range';
import { type Zone, momentText, parseMoment } from '../time';
import { SelectField, TextField } from '../Fields';
import classes from './RangePicker.module.css';

type ChooseProps = { range: TimeRange; onChoose: (range: TimeRange) => void };

export function RelativeRange({ range, onChoose }: ChooseProps) {
  const span = range.kind === 'last' ? range.span : '2h';
  const [amount, setAmount] = useState(span.slice(0, -1));
  const [unit, setUnit] = useState(span.slice(-1));
  const problem = amount !== '' && !isAmount(amount) && 'A whole number from 1 to 99999.';
  return (
    <Form
      className={classes.form}
      onSubmit={() =>
        isAmount(amount) && onChoose({ kind: 'last', span: `${Number(amount)}${unit}` })
      }
      noValidate
    >
      <span className={classes.caption}>Last</span>
      <div className={classes.last}>
        <TextField
          size="xs"
          aria-label="How many"
          inputMode="numeric"
          value={amount}
          error={problem !== false}
          onChange={(text) => setAmount(text.trim())}
        />
        <SelectField
          aria-label="Unit"
          value={unit}
          onChange={setUnit}
          data={units.map(({ letter, name }) => ({ value: letter, label: `${name}s` }))}
        />
        <Button type="submit" disabled={!isAmount(amount)}>
          Apply
        </Button>
      </div>
      {problem !== false && (
        <span className="small bad" role="alert">
          {problem}
        </span>
      )}
    </Form>
  );
}

function isAmount(text: string): boolean {
  return /^\d{1,5}$/.test(text) && spanMs(`${text}s`) !== null;
}

export function AbsoluteRange({ range, zone, onChoose }: ChooseProps & { zone: Zone }) {
  const shown = range.kind === 'between' ? range : { from: null, to: null };
  const [from, setFrom] = useState(momentText(shown.from, zone));
  const [to, setTo] = useState(momentText(shown.to, zone));
  const start = from === '' ? null : parseMoment(from, zone);
  const end = to === '' ? null : parseMoment(to, zone);
  const fromProblem = from !== '' && start === null && FORM;
  const toProblem = to !== '' && (end === null ? FORM : isBackwards(start, end) && BACKWARDS);
  const isEmpty = from === '' && to === '';
  return (
    <Form
      className={classes.form}
      onSubmit={() => onChoose({ kind: 'between', from: start, to: end })}
    >
      <TextField
        size="xs"
        label="From"
        placeholder="2026-01-31 15:04:05 or now-2h"
        value={from}
        error={fromProblem}
        onChange={setFrom}
      />
      <TextField
        size="xs"
        label="To"
        placeholder="now"
        description="Exclusive. Leave empty for now."
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={to}
        error={toProblem}
        onChange={setTo}
      />
      <Button type="submit" disabled={fromProblem !== false || toProblem !== false || isEmpty}>
        Apply
      </Button>
    </Form>
  );
}

const FORM = 'Write it as 2026-01-31 15:04:05, or as now-2h.';
const BACKWARDS = 'Must be later than From.';

function isBackwards(from: string | null, to: string): boolean {
  const moments = resolve({ kind: 'between', from, to }, Date.now());
  if (moments === null || moments.from === null || moments.to === null) return false;
  return moments.from >= moments.to;
}
