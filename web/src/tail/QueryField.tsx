/** Where a tail's query is written: Enter runs it, Shift-Enter goes to a new line. */
import { Textarea } from '@mantine/core';
import type { KeyboardEvent, Ref } from 'react';
import classes from './QueryField.module.css';

type Props = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  onRun: () => void;
  ref?: Ref<HTMLTextAreaElement>;
};

export function QueryField({ label, value, onChange, onRun, ref }: Props) {
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Escape') event.currentTarget.blur();
    // While an input method composes a word, Enter belongs to it.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onRun();
  };
  return (
    <Textarea
      ref={ref ?? null}
      className={classes.field}
      classNames={{ input: classes.input ?? '' }}
      aria-label={label}
      placeholder='Words, "a phrase", host:web*'
      autosize
      minRows={1}
      maxRows={4}
      spellCheck={false}
      autoCapitalize="off"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}
