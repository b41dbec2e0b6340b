/** A field whose text filters the rows of a table. */
import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { Ref } from 'react';
import classes from './Admin.module.css';

type Props = {
  ref?: Ref<HTMLInputElement>;
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
};

export function FilterField({ ref, label, placeholder, value, onChange }: Props) {
  return (
    <TextInput
      ref={ref}
      size="xs"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={14} aria-hidden />}
      className={classes.finder ?? ''}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
