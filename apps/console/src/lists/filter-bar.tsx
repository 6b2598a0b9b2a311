import { Button, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { EventTypeSelect } from '../components/event-type-select';
import { Icon } from '../components/icon';
import { EndpointSelect, OrganizationSelect, ProjectSelect, SearchSelect } from '../components/record-select';
import { TimeRangeSelect } from '../components/time-range-select';
import { redactSecrets } from '../components/redact-secrets';
import { isViewOrSort, type Filter } from './filters';
import classes from './list.module.css';
import type { ListControls } from './use-list';

const DEBOUNCE_MS = 350;

/** Renders the filter controls for a list. At a width of 390 px, a button shows all controls except the search. */
export function FilterBar({ list }: { list: ListControls }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const entries = Object.entries(list.filters);
  const views = entries.filter(([, { kind }]) => kind === 'view');
  const [first, ...rest] = entries.filter(([, filter]) => !isViewOrSort(filter));
  const sort = entries.find(([, { kind }]) => kind === 'sort');
  const activeCount = [first, ...rest].filter((entry) => entry && list.values[entry[0]]).length;
  const control = ([name, filter]: [string, Filter], isFirst = false): ReactNode => (
    <div key={name} className={isFirst && filter.kind === 'text' ? classes.search : classes.filter}>
      <FilterControl
        filter={filter}
        isFirst={isFirst}
        value={list.values[name] ?? ''}
        onChange={(value) => list.setValue(name, value)}
      />
    </div>
  );
  if (entries.length === 0) return null;
  return (
    <search aria-label="Filters">
      {views.map((entry) => control(entry))}
      <div className={classes.bar}>
        {first && control(first, true)}
        {(rest.length > 0 || sort) && (
          <Button
            className={classes.more}
            variant="default"
            leftSection={<Icon name="filter" size={14} />}
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setOpen(!isOpen)}
          >
            Filters{activeCount > 0 && ` (${activeCount})`}
          </Button>
        )}
        <div id={id} className={classes.rest} data-open={isOpen}>
          {rest.map((entry) => control(entry))}
          {/* On a wide screen, the column headers change the order. */}
          {sort && <div className={classes.sort}>{control(sort)}</div>}
          {list.isFiltered && (
            <Button variant="subtle" onClick={list.clear} leftSection={<Icon name="cross" size={14} />}>
              Clear
            </Button>
          )}
        </div>
      </div>
    </search>
  );
}

interface ControlProps {
  filter: Filter;
  isFirst: boolean;
  value: string;
  onChange: (value: string) => void;
}

function FilterControl({ filter, isFirst, value, onChange }: ControlProps): ReactNode {
  const { kind, label } = filter;
  switch (kind) {
    case 'text':
    case 'number':
      return <DebouncedFilter filter={filter} isFirst={isFirst} value={value} onChange={onChange} />;
    case 'view':
      return (
        <SegmentedControl
          aria-label={label}
          mb="sm"
          value={value}
          onChange={onChange}
          data={Object.entries(filter.options).map(([option, name]) => ({ value: option, label: name }))}
        />
      );
    case 'choice':
    case 'sort':
      return (
        <Select
          aria-label={label}
          placeholder={label}
          clearable
          searchable={Object.keys(filter.options).length > 8}
          data={Object.entries(filter.options).map(([option, name]) => ({ value: option, label: name }))}
          value={value || null}
          onChange={(option) => onChange(option ?? '')}
          comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
        />
      );
    case 'project':
      return <ProjectSelect value={value} onChange={onChange} />;
    case 'endpoint':
      return <EndpointSelect value={value} onChange={onChange} />;
    case 'organization':
      return <OrganizationSelect value={value} onChange={onChange} />;
    case 'record':
      return <SearchSelect label={label} kinds={filter.kinds} value={value} onChange={onChange} />;
    case 'event-type':
      return <EventTypeSelect value={value} onChange={onChange} allowGroups={filter.groups} />;
    case 'time':
      return <TimeRangeSelect label={label} value={value} onChange={onChange} />;
  }
}

/** Renders a field whose input is applied when typing pauses, and immediately on Enter. */
function DebouncedFilter({ filter, isFirst, value, onChange }: ControlProps): ReactNode {
  const [typed, setTyped] = useState(value);
  const applied = useRef(value);
  const apply = (): void => {
    applied.current = typed;
    onChange(typed);
  };
  useEffect(() => {
    // The applied value can arrive after more input was typed. Only a different value replaces the input.
    if (value !== applied.current) setTyped(value);
    applied.current = value;
  }, [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(apply, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  });
  return (
    <TextInput
      type={filter.kind === 'text' ? 'search' : 'text'}
      inputMode={filter.kind === 'number' ? 'numeric' : undefined}
      aria-label={filter.label}
      placeholder={('placeholder' in filter && filter.placeholder) || filter.label}
      leftSection={isFirst ? <Icon name="search" size={15} /> : undefined}
      data-search={isFirst || undefined}
      spellCheck={false}
      autoComplete="off"
      value={typed}
      onChange={(event) => setTyped(redactSecrets(event.currentTarget.value))}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  );
}
