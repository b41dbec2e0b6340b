/** A button that shows an icon alone. Those who do not see it are told its label. */
import { ActionIcon } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ComponentProps } from 'react';

type Props = Omit<ComponentProps<typeof ActionIcon<'button'>>, 'aria-label' | 'children'> & {
  icon: Icon;
  iconSize?: number;
  label: string;
};

export function IconButton({ icon: Shown, iconSize = 16, label, ...rest }: Props) {
  return (
    <ActionIcon aria-label={label} {...rest}>
      <Shown size={iconSize} />
    </ActionIcon>
  );
}
