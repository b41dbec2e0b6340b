/** When a message is acknowledged. */
import { Radio } from '@mantine/core';
import type { Durability } from '../../api/logspaces';
import classes from './Change.module.css';

type Props = {
  value: Durability;
  disabled?: boolean;
  onChange: (durability: Durability) => void;
};

export function DurabilityChoice({ value, disabled = false, onChange }: Props) {
  return (
    <Radio.Group
      label="A message is acknowledged"
      value={value}
      onChange={(chosen) => onChange(chosen === 'os' ? 'os' : 'fsync')}
    >
      <div className={classes.choices}>
        <Radio
          value="fsync"
          disabled={disabled}
          label="once it is on the disk (fsync)"
          description="It survives a power cut."
        />
        <Radio
          value="os"
          disabled={disabled}
          label="once the operating system has it (os)"
          description="Faster; a power cut loses the last messages."
        />
      </div>
    </Radio.Group>
  );
}
