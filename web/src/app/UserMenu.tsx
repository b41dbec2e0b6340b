/** The user who is signed in, with settings and the way out. */
import { Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconApi,
  IconBook,
  IconCommand,
  IconKey,
  IconKeyboard,
  IconLogout,
  IconUserCog,
} from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, lazy } from 'react';
import { fetched } from '../api/code';
import { type User, sessionQuery, signOut } from '../api/session';
import { KeyCaps } from '../ui/KeyCaps';
import { useCommands } from '../ui/commands';
import { toast } from '../ui/toast';
import classes from './Rail.module.css';
import { initialsOf } from '../ui/initials';

const PasswordDialog = lazy(async () => ({
  default: (await fetched(() => import('./PasswordDialog'))).PasswordDialog,
}));

type Props = { user: User; onCommands: () => void; onShortcuts: () => void };

export function UserMenu({ user, onCommands, onShortcuts }: Props) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toAccount = () => void navigate({ to: '/account' });
  const leave = useMutation({
    mutationFn: signOut,
    // Even if the server refused: forget the user, and ask the server who it is.
    onSettled: () => queryClient.resetQueries({ queryKey: sessionQuery.queryKey }),
  });
  const [passwordOpen, password] = useDisclosure(false);
  useThemeCommands();
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
        position="right-end"
        width={220}
        withInitialFocusPlaceholder={false}
        portalProps={{ target: '#content' }}
      >
        <Menu.Target>
          <UnstyledButton className={classes.avatar} aria-label={`User: ${user.name}`}>
            <span aria-hidden>{initialsOf(user.name)}</span>
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
          <Menu.Divider />
          <Menu.Label>Theme</Menu.Label>
          <ThemeChoice />
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconCommand size={16} />}
            rightSection={<KeyCaps keys="Mod-k" />}
            onClick={onCommands}
          >
            Commands
          </Menu.Item>
          <Menu.Item
            leftSection={<IconKeyboard size={16} />}
            rightSection={<KeyCaps keys="?" />}
            onClick={onShortcuts}
          >
            Keyboard shortcuts
          </Menu.Item>
          <Menu.Item
            leftSection={<IconBook size={16} />}
            onClick={() => void navigate({ to: '/help' })}
          >
            Help
          </Menu.Item>
          <Menu.Item
            leftSection={<IconApi size={16} />}
            onClick={() => void navigate({ to: '/help/api' })}
          >
            API
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => leave.mutate()}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {passwordOpen && (
        <Suspense>
          <PasswordDialog name={user.name} onClose={password.close} onChanged={changed} />
        </Suspense>
      )}
    </>
  );
}

const schemes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
] as const;

function useThemeCommands(): void {
  const { setColorScheme, toggleColorScheme } = useMantineColorScheme();
  useCommands([
    {
      id: 'theme',
      title: 'Light or dark',
      keys: 'D',
      group: 'Console',
      words: 'theme',
      run: toggleColorScheme,
    },
    {
      id: 'theme-system',
      title: 'Theme of the system',
      group: 'Console',
      run: () => setColorScheme('auto'),
    },
  ]);
}

/** Light, dark, or as the system is: part of the user's menu. */
function ThemeChoice() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const choose = (value: string) => {
    const chosen = schemes.find((scheme) => scheme.value === value);
    if (chosen !== undefined) setColorScheme(chosen.value);
  };
  return (
    <Menu.RadioGroup value={colorScheme} onChange={choose}>
      {schemes.map(({ value, label }) => (
        <Menu.RadioItem key={value} value={value} closeMenuOnClick={false}>
          {label}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}
