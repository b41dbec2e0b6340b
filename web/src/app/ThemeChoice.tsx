/** Light, dark, or as the system is: part of the user's menu. */
import { Menu, useMantineColorScheme } from '@mantine/core';
import { useCommands } from '../ui/commands';

const schemes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
] as const;

export function useThemeCommands(): void {
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

export function ThemeChoice() {
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
