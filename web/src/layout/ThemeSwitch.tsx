import { ActionIcon, type MantineColorScheme, useMantineColorScheme } from "@mantine/core";
import { IconDeviceDesktop, IconMoon, IconSun, type TablerIcon } from "@tabler/icons-react";
import { LazyMenu } from "../shared/LazyMenu.tsx";

const themes: Record<MantineColorScheme, { label: string; Icon: TablerIcon }> = {
  light: { label: "Light", Icon: IconSun },
  dark: { label: "Dark", Icon: IconMoon },
  auto: { label: "System", Icon: IconDeviceDesktop },
};
const schemes: MantineColorScheme[] = ["light", "dark", "auto"];

export function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { label, Icon } = themes[colorScheme];
  return (
    <LazyMenu
      position="bottom-end"
      width={144}
      button={
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Theme: ${label}`}>
          <Icon size={18} />
        </ActionIcon>
      }
    >
      {(Menu) => (
        <Menu.RadioGroup value={colorScheme}>
          {schemes.map((scheme) => (
            <Menu.RadioItem key={scheme} value={scheme} onChange={() => setColorScheme(scheme)} closeMenuOnClick>
              {themes[scheme].label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      )}
    </LazyMenu>
  );
}
