/** A small button that adds something to the list or column whose head it is in. */
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ComponentPropsWithRef } from 'react';

type Props = { label: string } & Pick<ComponentPropsWithRef<'button'>, 'onClick' | 'ref'>;

/** The target of a menu gets further attributes from it, which are those of the button. */
export function AddButton({ label, ...rest }: Props) {
  return (
    <Button
      variant="subtle"
      size="compact-xs"
      leftSection={<IconPlus size={14} />}
      aria-label={label}
      {...rest}
    >
      Add
    </Button>
  );
}
