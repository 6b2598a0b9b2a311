import { Button, Divider, Popover, Stack, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Icon } from './icon';
import { dayPresets, parseTimeRange, presetLabel, presets } from './time-range';
import { fromWallTime, toWallTime, zoneName, type TimeZone } from './time';
import { useTimeZone } from './use-time-zone';

interface TimeRangeSelectProps {
  /** The range in the URL format; "" for any time. */
  value: string;
  onChange: (range: string) => void;
  label?: string;
  /** Adds the option "Any time". */
  optional?: boolean;
}

/** Renders a select for a time range: a preset, or a start and an end in the operator's zone. */
export function TimeRangeSelect({
  value,
  onChange,
  label = 'Time',
  optional = true,
}: TimeRangeSelectProps): ReactNode {
  const [open, setOpen] = useState(false);
  const zone = useTimeZone();
  const text = formatTimeRange(value, zone);
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
          aria-label={`${label}: ${text}`}
          onClick={() => setOpen(!open)}
        >
          {label !== 'Time' && `${label}: `}
          {text}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs" miw={260}>
        <Stack gap={2}>
          {optional && (
            <RangeButton text="Any time" isSelected={value === ''} onSelect={() => selectRange('')} />
          )}
          {Object.entries({ ...dayPresets, ...presets }).map(([preset, { label: text }]) => (
            <RangeButton
              key={preset}
              text={text}
              isSelected={value === preset}
              onSelect={() => selectRange(preset)}
            />
          ))}
          <Divider my={6} label={`Custom range (${zoneName(Date.now(), zone)})`} />
          <CustomRange value={value} zone={zone} onSelect={selectRange} />
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

interface CustomRangeProps {
  value: string;
  zone: TimeZone;
  onSelect: (range: string) => void;
}

function CustomRange({ value, zone, onSelect }: CustomRangeProps): ReactNode {
  const [from, to] = presetLabel(value) ? ['', ''] : value.split('~');
  const [start, setStart] = useState(toInputValue(from, zone));
  const [end, setEnd] = useState(toInputValue(to, zone));
  const range = [start, end].map((text) => fromWallTime(text, zone)).join('~');
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
      <Button size="xs" disabled={!parseTimeRange(range, 0, zone)} onClick={() => onSelect(range)}>
        Apply
      </Button>
    </Stack>
  );
}

/** Returns the value for a datetime-local input, to the minute. */
function toInputValue(time: string | undefined, zone: TimeZone): string {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? '' : toWallTime(ms, zone).slice(0, 16);
}

function formatTimeRange(range: string, zone: TimeZone): string {
  if (range === '') return 'Any time';
  const preset = presetLabel(range);
  if (preset) return preset;
  const bounds = parseTimeRange(range, 0, zone);
  if (!bounds) return 'Invalid time range';
  const [after, before] = [bounds.after, bounds.before].map(
    (at) => at && toWallTime(at, zone).slice(0, 16).replace('T', ' '),
  );
  if (after && before) return `${after} – ${before}`;
  return after ? `Since ${after}` : `Until ${before}`;
}
