"""Configure the IPython of a loopback context as E2B's template configures its own.

IPython runs this file in the namespace of the context. The names that E2B's start-up scripts leave
there (`ip`, `save`, `Image`, `Any` and others) are therefore defined here too.
"""

import sys
from importlib import import_module
from typing import Any

import IPython
from IPython.core import display_functions
from IPython.core.formatters import BaseFormatter, JSONFormatter
from traitlets.traitlets import ObjectName, Unicode

__all__ = ["E2BChartFormatter", "E2BDataFormatter", "E2BJSONFormatter"]

display: Any = vars(display_functions)["display"]


class E2BDataFormatter(BaseFormatter):
    """Show the columns of a data frame as lists, with times in ISO 8601."""

    format_type = Unicode("e2b/data")
    print_method = ObjectName("_repr_e2b_data_")
    _return_type = (dict, str)

    def __call__(self, obj: Any) -> Any:
        """Return the form of an object; None if it has none."""
        pandas = sys.modules.get("pandas")
        if pandas is None or not isinstance(obj, pandas.DataFrame):
            return super().__call__(obj)
        return {
            name: [one.isoformat() if isinstance(one, pandas.Timestamp) else one for one in column]
            for name, column in obj.to_dict(orient="list").items()
        }


class E2BChartFormatter(BaseFormatter):
    """Show the numbers of a chart, where E2B's package for that is installed."""

    format_type = Unicode("e2b/chart")
    print_method = ObjectName("_repr_e2b_chart_")
    _return_type = (dict, str)

    def __call__(self, obj: Any) -> Any:
        """Return the form of an object; None if it has none."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None or not isinstance(obj, pyplot.Figure):
            return super().__call__(obj)
        try:
            charts: Any = import_module("e2b_charts")  # few cells draw
            return charts.chart_figure_to_dict(obj)
        except Exception:  # noqa: BLE001  # E2B's template shows an empty chart then
            return {}


class E2BJSONFormatter(JSONFormatter):
    """Show lists and dicts as JSON too."""

    def __call__(self, obj: Any) -> Any:
        """Return the form of an object; None if it has none."""
        if isinstance(obj, (list, dict)):
            try:
                import orjson  # noqa: PLC0415  # as late as E2B's template loads it

                options = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
                return orjson.loads(orjson.dumps(obj, option=options)), {"expanded": True}
            except TypeError:
                pass
        return super().__call__(obj)


ip = IPython.get_ipython()
for _formatter in (E2BDataFormatter, E2BChartFormatter, E2BJSONFormatter):
    _made = _formatter(parent=ip.display_formatter)
    ip.display_formatter.formatters[_made.format_type] = _made

try:
    pictures: Any = import_module("PIL.Image")
    viewers: Any = import_module("PIL.ImageShow")
except ModuleNotFoundError:
    pass
else:
    # Open no window.
    viewers.UnixViewer.show_file = show_file = lambda self, path, **options: 0  # noqa: ARG005
    Image = pictures.Image
    original_save = Image.save

    def save(image: Any, fp: Any, format: Any = None, **options: Any) -> None:  # noqa: A002
        """Show a picture that is saved under a name."""
        if isinstance(fp, str):
            display(image)
        original_save(image, fp, format, **options)

    Image.save = save
