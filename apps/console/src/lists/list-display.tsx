import { Button, Checkbox, Divider, Popover, SegmentedControl, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePreferences, useUpdatePreferences, type Preferences } from '../http/preferences';
import { Icon } from '../components/icon';
import { columnId, hideableColumns, isShown, toggleColumn } from './columns';
import type { Column } from './list-table';
import type { ListControls } from './use-list';

const PAGE_SIZES: Preferences['pageSize'][] = [50, 100, 200];

interface ListDisplayProps<Row> {
  list: ListControls;
  /** All columns in the list. */
  columns: Column<Row>[];
}

/** Renders the button for a list's columns and page size. */
export function ListDisplay<Row>({ list, columns }: ListDisplayProps<Row>): ReactNode {
  const { pageSize } = usePreferences();
  const updatePreferences = useUpdatePreferences();
  return (
    <Popover position="bottom-end" trapFocus withinPortal>
      <Popover.Target>
        <Button variant="default" size="xs" leftSection={<Icon name="columns" size={14} />}>
          Display
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="sm" miw={220}>
        <Stack gap="xs" role="group" aria-label="Columns">
          <Text size="xs" fw={600} c="dimmed">
            Columns
          </Text>
          {hideableColumns(columns).map((column) => (
            <Checkbox
              key={columnId(column)}
              size="xs"
              label={column.header}
              checked={isShown(column, list.columnChanges)}
              onChange={() => list.changeColumns(toggleColumn(column, list.columnChanges))}
            />
          ))}
          <Button
            variant="subtle"
            size="compact-xs"
            w="fit-content"
            disabled={list.columnChanges.length === 0}
            onClick={() => list.changeColumns([])}
          >
            Reset columns
          </Button>
        </Stack>
        <Divider my="xs" />
        <Text size="xs" fw={600} c="dimmed" mb={6}>
          Rows per page
        </Text>
        <SegmentedControl
          fullWidth
          size="xs"
          aria-label="Rows per page"
          value={String(pageSize)}
          onChange={(value) => updatePreferences({ pageSize: Number(value) as Preferences['pageSize'] })}
          data={PAGE_SIZES.map(String)}
        />
      </Popover.Dropdown>
    </Popover>
  );
}
