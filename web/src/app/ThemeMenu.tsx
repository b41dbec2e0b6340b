import { Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { useCommands } from '../ui/commands';
import classes from './Shell.module.css';

const schemes = [
  { value: 'light', label: 'Light', Icon: IconSun },
  { value: 'dark', label: 'Dark', Icon: IconMoon },
  { value: 'auto', label: 'System', Icon: IconDeviceDesktop },
] as const;

export function ThemeMenu() {
  const { colorScheme, setColorScheme, toggleColorScheme } = useMantineColorScheme();
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
  const current = schemes.find(({ value }) => value === colorScheme) ?? schemes[2];
  return (
    <Menu
      position="bottom-end"
      withInitialFocusPlaceholder={false}
      portalProps={{ target: '#content' }}
    >
      <Menu.Target>
        <UnstyledButton className={classes.tool} aria-label={`Theme: ${current.label}`}>
          <current.Icon size={18} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(({ value, label, Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={16} />}
            rightSection={
              value === colorScheme ? <IconCheck size={16} aria-label="chosen" /> : null
            }
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
