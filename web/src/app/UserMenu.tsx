import { Menu, UnstyledButton } from '@mantine/core';
import { IconLogout, IconUser } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Session } from '../api/model';
import { sessionQuery, signOut } from '../api/session';
import classes from './Shell.module.css';

export function UserMenu({ user }: { user: NonNullable<Session['user']> }) {
  const queryClient = useQueryClient();
  const leave = useMutation({
    mutationFn: signOut,
    // Whatever the server said: ask it again who we are.
    onSettled: () => queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  });
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <UnstyledButton className={classes.tool} aria-label={`User: ${user.name}`}>
          <IconUser size={18} aria-hidden />
          <span className={classes.userName}>{user.name}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {user.name}, {user.role}
        </Menu.Label>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => leave.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
