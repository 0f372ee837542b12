import "react-toastify/ReactToastify.css";
import { useComputedColorScheme } from "@mantine/core";
import { ToastContainer } from "react-toastify/unstyled";

export function Toasts() {
  const scheme = useComputedColorScheme();
  return <ToastContainer position="top-right" autoClose={5000} theme={scheme} aria-label="Notifications" />;
}
