/** An action in a menu: an icon, and the words for what it does. */
import { Menu } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ComponentProps, ReactNode } from 'react';

type Props = Omit<ComponentProps<typeof Menu.Item<'button'>>, 'leftSection' | 'children'> & {
  icon: Icon;
  /** Whether the icon is as small as those in panels. */
  small?: boolean;
  label: ReactNode;
};

export function MenuItem({ icon: Shown, small = false, label, ...rest }: Props) {
  return (
    <Menu.Item leftSection={<Shown size={small ? 14 : 16} aria-hidden />} {...rest}>
      {label}
    </Menu.Item>
  );
}
