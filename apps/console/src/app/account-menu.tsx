import {
  Avatar,
  Popover,
  SegmentedControl,
  Text,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { usePreferences, useUpdatePreferences } from '../http/preferences';
import { Icon } from '../components/icon';
import { zoneName } from '../components/time';
import { toastError } from '../components/toast';
import { useOperator, useServer, useSignOut } from '../session/session';
import classes from './shell.module.css';

/** Renders the account menu: the signed-in operator, the time zone, the color scheme and sign-out. */
export function AccountMenu(): ReactNode {
  const server = useServer();
  const { email, name, role, organizationIds } = useOperator();
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} position="top-start" width={240} trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton className={classes.operator} onClick={() => setOpen(!isOpen)}>
          <VisuallyHidden>Account menu: </VisuallyHidden>
          <Avatar size={30} radius="xl" color="accent" name={name ?? email} aria-hidden />
          <span className={classes.identity}>
            <Text truncate fw={550}>
              {name ?? email}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              <Text span inherit tt="capitalize">
                {role}
              </Text>
              {organizationIds && ` · ${countOrganizations(organizationIds.length)}`}
            </Text>
          </span>
          <Icon name="chevron-down" size={14} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown
        p="xs"
        aria-label="Account menu"
        onClick={({ target }) => shouldCloseMenu(target) && setOpen(false)}
      >
        <Text size="xs" c="dimmed" px={10} py={4} truncate>
          {email}
        </Text>
        <Link className={classes.navItem} to="/account">
          <Icon name="lock" />
          <span>Account</span>
        </Link>
        {server.docs && (
          <a className={classes.navItem} href="/docs" target="_blank" rel="noreferrer">
            <Icon name="external" />
            <span>API reference</span>
          </a>
        )}
        <SignOut />
        <TimeZoneSwitch />
        <ColorSchemeSwitch />
        <Text size="xs" c="dimmed" px={10} pt={6}>
          Gatehouse {server.version}
        </Text>
      </Popover.Dropdown>
    </Popover>
  );
}

const countOrganizations = (count: number): string =>
  `${count} ${count === 1 ? 'organization' : 'organizations'}`;

/** Returns true for a click on a link. The menu stays open when a preference is changed. */
const shouldCloseMenu = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('a') !== null;

function SignOut(): ReactNode {
  const signOut = useSignOut();
  return (
    <UnstyledButton
      className={classes.navItem}
      w="100%"
      mb={6}
      onClick={() => signOut.mutate(undefined, { onError: toastError })}
    >
      <Icon name="sign-out" />
      <span>Sign out</span>
    </UnstyledButton>
  );
}

function TimeZoneSwitch(): ReactNode {
  const { timeZone } = usePreferences();
  const update = useUpdatePreferences();
  return (
    <SegmentedControl
      fullWidth
      size="xs"
      mb={6}
      aria-label="Time zone"
      value={timeZone}
      onChange={(zone) => update({ timeZone: zone })}
      data={[
        { value: 'local', label: `Local (${zoneName(Date.now(), 'local')})` },
        { value: 'utc', label: 'UTC' },
      ]}
    />
  );
}

function ColorSchemeSwitch(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      fullWidth
      size="xs"
      aria-label="Color scheme"
      value={colorScheme}
      onChange={(scheme) => setColorScheme(scheme)}
      data={[
        { value: 'auto', label: 'System' },
        { value: 'light', label: 'Light' },
        { value: 'dark', label: 'Dark' },
      ]}
    />
  );
}
