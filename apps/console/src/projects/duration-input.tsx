import { Group, Input, Select } from '@mantine/core';
import { useId, useState, type ReactNode } from 'react';
import { IntegerInput } from './integer-input';

const units = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 } as const;
type Unit = keyof typeof units;

interface DurationInputProps {
  label: string;
  description: string;
  /** Seconds. */
  value: number;
  onChange: (seconds: number) => void;
  error?: string;
  readOnly?: boolean;
}

/** Returns the largest unit that divides the seconds evenly. */
const largestUnit = (seconds: number): Unit =>
  (Object.keys(units) as Unit[]).findLast((unit) => seconds > 0 && seconds % units[unit] === 0) ?? 'seconds';

/** Renders an input for a duration with a unit. */
export function DurationInput(props: DurationInputProps): ReactNode {
  const { label, description, value, onChange, error, readOnly } = props;
  const id = useId();
  const [selectedUnit, setSelectedUnit] = useState<Unit | null>(null);
  const unit = selectedUnit && value % units[selectedUnit] === 0 ? selectedUnit : largestUnit(value);
  return (
    <Input.Wrapper label={label} description={description} error={error} id={id} labelElement="label">
      <Group gap="xs" wrap="nowrap" my={4} maw={280}>
        <IntegerInput
          id={id}
          min={1}
          readOnly={readOnly}
          error={Boolean(error)}
          value={value === 0 ? '' : value / units[unit]}
          onChange={(count) => {
            setSelectedUnit(unit);
            onChange(Number(count) * units[unit]);
          }}
          style={{ flex: 1 }}
        />
        <Select
          aria-label={`${label}: unit`}
          data={Object.keys(units)}
          allowDeselect={false}
          readOnly={readOnly}
          value={unit}
          onChange={(picked) => {
            const next = (picked ?? unit) as Unit;
            setSelectedUnit(next);
            onChange((value / units[unit]) * units[next]);
          }}
          w={120}
        />
      </Group>
    </Input.Wrapper>
  );
}
