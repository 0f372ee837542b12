import { Button } from "@mantine/core";
import { IconEye } from "@tabler/icons-react";

/** Opens a row. `of` names it for who hears the page instead of seeing it. */
export function ViewButton({ of, onClick }: { of: string; onClick: () => void }) {
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      leftSection={<IconEye size={14} aria-hidden />}
      aria-label={`View ${of}`}
      onClick={onClick}
    >
      View
    </Button>
  );
}
