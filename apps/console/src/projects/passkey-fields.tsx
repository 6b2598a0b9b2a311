import type { ReactNode } from 'react';
import { ListSetting, TextSetting, type SectionProps } from './settings-fields';

export function PasskeyFields({ form }: SectionProps): ReactNode {
  return (
    <>
      <TextSetting
        form={form}
        name="passkeys.rpId"
        description="Passkeys work only on this domain and its subdomains (rpId). You cannot change the domain while customers have passkeys. If empty, passkeys are off in production and bound to localhost otherwise."
        placeholder="example.com"
        max={253}
      />
      <ListSetting
        form={form}
        name="passkeys.origins"
        description="Origins of the pages and Android apps that use the passkeys, one per line. If a domain is set, at least one origin is required."
        placeholder="https://app.example.com"
      />
      <TextSetting
        form={form}
        name="passkeys.rpName"
        description="Name that browsers show. If empty, the display name or the name of the project is used."
        max={100}
      />
    </>
  );
}
