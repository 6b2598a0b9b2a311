import { Button, Divider, Popover, Stack, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Icon } from './icon';
import { parseTimeRange, isPreset, presets, type Preset } from './time-range';
import { formatUtcTime } from './time';

interface TimeRangeSelectProps {
  /** The range as in the URL; "" for any time. */
  value: string;
  onChange: (range: string) => void;
  label?: string;
  /** Offers "Any time". */
  optional?: boolean;
}

/** Renders a select for a time range: a preset, or a start and an end in UTC. */
export function TimeRangeSelect({
  value,
  onChange,
  label = 'Time',
  optional = true,
}: TimeRangeSelectProps): ReactNode {
  const [open, setOpen] = useState(false);
  const selectRange = (range: string): void => {
    onChange(range);
    setOpen(false);
  };
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-start" trapFocus withinPortal>
      <Popover.Target>
        <Button
          variant="default"
          size="sm"
          maw="100%"
          fw={400}
          leftSection={<Icon name="clock" size={14} />}
          rightSection={<Icon name="chevron-down" size={14} />}
          aria-label={`${label}: ${formatTimeRange(value)}`}
          onClick={() => setOpen(!open)}
        >
          {label !== 'Time' && `${label}: `}
          {formatTimeRange(value)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs" miw={260}>
        <Stack gap={2}>
          {optional && (
            <RangeButton text="Any time" isSelected={value === ''} onSelect={() => selectRange('')} />
          )}
          {(Object.keys(presets) as Preset[]).map((preset) => (
            <RangeButton
              key={preset}
              text={presets[preset].label}
              isSelected={value === preset}
              onSelect={() => selectRange(preset)}
            />
          ))}
          <Divider my={6} label="Custom range (UTC)" />
          <CustomRange value={value} onSelect={selectRange} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function RangeButton(props: { text: string; isSelected: boolean; onSelect: () => void }): ReactNode {
  return (
    <Button
      variant={props.isSelected ? 'light' : 'subtle'}
      color={props.isSelected ? undefined : 'gray'}
      c={props.isSelected ? undefined : 'var(--mantine-color-text)'}
      size="xs"
      justify="flex-start"
      aria-pressed={props.isSelected}
      onClick={props.onSelect}
    >
      {props.text}
    </Button>
  );
}

function CustomRange({ value, onSelect }: { value: string; onSelect: (range: string) => void }): ReactNode {
  const [from, to] = isPreset(value) ? ['', ''] : value.split('~');
  const [start, setStart] = useState(toInputValue(from));
  const [end, setEnd] = useState(toInputValue(to));
  const range = [start, end].map((text) => (text ? `${text}:00.000Z` : '')).join('~');
  return (
    <Stack gap={6}>
      <TextInput
        type="datetime-local"
        size="xs"
        label="From"
        value={start}
        onChange={(event) => setStart(event.currentTarget.value)}
      />
      <TextInput
        type="datetime-local"
        size="xs"
        label="To"
        value={end}
        onChange={(event) => setEnd(event.currentTarget.value)}
      />
      <Button size="xs" disabled={!parseTimeRange(range, 0)} onClick={() => onSelect(range)}>
        Apply
      </Button>
    </Stack>
  );
}

/** Returns the value of a datetime-local input: UTC without "Z", to the minute. */
function toInputValue(time: string | undefined): string {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString().slice(0, 16);
}

export function formatTimeRange(range: string): string {
  if (range === '') return 'Any time';
  if (isPreset(range)) return presets[range].label;
  const bounds = parseTimeRange(range, 0);
  if (!bounds) return 'Invalid time range';
  const [after, before] = [bounds.after, bounds.before].map((at) => at && formatUtcTime(at).slice(0, 16));
  if (after && before) return `${after} – ${before}`;
  return after ? `Since ${after}` : `Until ${before}`;
}
