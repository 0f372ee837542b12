import { type View, type ViewScreen, views } from "@footprint/contract/views.ts";
import { Checkbox, TextInput } from "@mantine/core";
import { callApi } from "./api.ts";
import { FormModal } from "./FormModal.tsx";
import { notify } from "./notify.ts";
import { useSession } from "./session.ts";
import { queryOf } from "./views.ts";

/** Saves what a list shows under a name. */
export function SaveView({
  screen,
  shown,
  span,
  onClose,
}: {
  screen: ViewScreen;
  shown: string;
  /** The name of the list's days, if they have one. */
  span: string | undefined;
  onClose: () => void;
}) {
  const { role } = useSession();
  return (
    <FormModal
      title="Save view"
      initialValues={{ name: "", movesOn: true, shared: false }}
      submitLabel="Save view"
      closeAfter={0}
      onClose={onClose}
      onSubmit={async ({ name, movesOn, shared }) => {
        const query = queryOf(shown, movesOn ? span : undefined);
        const reply = await callApi(views.create, { body: { screen, name, query, shared } });
        notify("success", reply.message);
        // The button that opened this is gone, since the list is a view now.
        document.getElementById("content")?.focus();
        return reply;
      }}
    >
      {(fields) => (
        <>
          <TextInput label="Name" required maxLength={40} data-autofocus {...fields.getInputProps("name")} />
          {span && (
            <Checkbox
              label={`Always “${span}”`}
              description="Without it, the view keeps the dates of today."
              {...fields.getInputProps("movesOn", { type: "checkbox" })}
            />
          )}
          {role === "admin" && (
            <Checkbox label="Share with everybody" {...fields.getInputProps("shared", { type: "checkbox" })} />
          )}
        </>
      )}
    </FormModal>
  );
}

export function RenameView({ view, onClose }: { view: View; onClose: () => void }) {
  return (
    <FormModal
      title="Rename view"
      initialValues={{ name: view.name }}
      submitLabel="Rename"
      closeAfter={0}
      onClose={onClose}
      onSubmit={async (body) => {
        const reply = await callApi(views.update, { params: { id: view._id }, body });
        notify("success", reply.message);
        return reply;
      }}
    >
      {(fields) => <TextInput label="Name" required maxLength={40} data-autofocus {...fields.getInputProps("name")} />}
    </FormModal>
  );
}
