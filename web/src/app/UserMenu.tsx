import { Menu, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey, IconLogout, IconUser, IconUserCog } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type User, sessionQuery, signOut } from '../api/session';
import { PasswordForm } from '../session/PasswordForm';
import { Dialog } from '../ui/Dialog';
import { useCommands } from '../ui/commands';
import { toast } from '../ui/toast';
import classes from './Shell.module.css';

export function UserMenu({ user }: { user: User }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toAccount = () => void navigate({ to: '/account' });
  const leave = useMutation({
    mutationFn: signOut,
    // Whatever the server said: forget who we were, and ask it who we are.
    onSettled: () => queryClient.resetQueries({ queryKey: sessionQuery.queryKey }),
  });
  const [passwordOpen, password] = useDisclosure(false);
  useCommands([
    {
      id: '/account',
      title: 'Go to Account',
      keys: 'g a',
      group: 'Go to',
      words: 'sessions second factor totp password profile',
      run: toAccount,
    },
    { id: 'password', title: 'Change password', group: 'Console', run: password.open },
    { id: 'sign-out', title: 'Sign out', group: 'Console', run: () => leave.mutate() },
  ]);
  const changed = () => {
    password.close();
    toast({ tone: 'good', title: 'The password is changed' });
  };
  return (
    <>
      <Menu
        position="bottom-end"
        width={200}
        withInitialFocusPlaceholder={false}
        portalProps={{ target: '#content' }}
      >
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
          <Menu.Item leftSection={<IconUserCog size={16} />} onClick={toAccount}>
            Account
          </Menu.Item>
          <Menu.Item leftSection={<IconKey size={16} />} onClick={password.open}>
            Change password
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => leave.mutate()}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Dialog opened={passwordOpen} onClose={password.close} title="Change password" size="sm">
        <PasswordForm name={user.name} onChanged={changed} />
      </Dialog>
    </>
  );
}
