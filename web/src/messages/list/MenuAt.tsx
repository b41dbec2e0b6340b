/** A menu next to something in a row that was clicked or selected. */
import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './MenuAt.module.css';

type Props = {
  /** The subject of the menu, which is also its title. */
  title: string;
  at: DOMRect;
  onClose: () => void;
  /** Its items. */
  children: ReactNode;
};

export function MenuAt({ title, at, onClose, children }: Props) {
  const { left, top, width, height } = at;
  return (
    <Menu
      opened
      onClose={onClose}
      position="bottom-start"
      withinPortal={false}
      floatingStrategy="fixed"
    >
      <Menu.Target>
        <button
          type="button"
          className={classes.anchor}
          style={{ left, top, width, height }}
          aria-label={title}
        />
      </Menu.Target>
      <Menu.Dropdown className={classes.dropdown ?? ''}>
        <Menu.Label>{title}</Menu.Label>
        {children}
      </Menu.Dropdown>
    </Menu>
  );
}
