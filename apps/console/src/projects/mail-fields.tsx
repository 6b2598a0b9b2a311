import type { ReactNode } from 'react';
import { TextSetting, type SectionProps } from './settings-fields';

export function MailFields({ form }: SectionProps): ReactNode {
  return (
    <>
      <TextSetting
        form={form}
        name="defaultLocale"
        description="Language tag for emails and hosted pages if the customer's language is unknown. If empty, English is used."
        placeholder="de"
        max={35}
      />
      <TextSetting
        form={form}
        name="mail.fromName"
        description="If empty, the installation's sender name is used."
        max={100}
      />
      <TextSetting
        form={form}
        name="mail.replyTo"
        description="Address that receives replies. If empty, the sender's address is used."
        placeholder="help@example.com"
        max={254}
      />
    </>
  );
}
